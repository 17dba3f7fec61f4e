"""Find what nothing uses: definitions, fields, columns, templates, styles, routes.

In: the package, and for its routes the documents. Out: one line for each name that is
written down once and never mentioned again anywhere in the package, and exit code 1 if
there are any. A mention is a mention as a whole word, in code, templates, scripts or
SQL, so a name that is used only under another meaning is missed; what is found is
really unused. A route that only
its tests mention counts as unused. What must stay although nothing mentions it is in
``ARGUED``, with the reason.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from feedloom.serve import sync
from feedloom.serve.application import all_routes

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "feedloom"
ARGUED: Mapping[str, str] = {
    "capture_signals": "uvicorn calls it",
    "should_exit": "uvicorn reads it",
    "max_length": "the signature of another library's decoder",
    "trace": "the signature of a context manager",
    "email_verified": "a claim that must be there to be read",
    "OFF": "one of two values of a command's argument",
    "y": "the second of a point's two coordinates",
    "prompt_key": "the data model keeps it for prompts of a proxy's own",
    ".htmx-request": "htmx sets it",
    "/robots.txt": "crawlers ask for it",
}
"""Names that nothing mentions, and why they stay."""
_WORD = re.compile(r"\w+")
_TEXTS = {".py", ".html", ".js", ".sql", ".txt", ".css", ".toml"}
_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\)", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^\s+([a-z_]+) [a-zA-Z]", re.MULTILINE)
_DROPPED = re.compile(r"ALTER TABLE (\w+) DROP COLUMN (\w+)")
_NO_COLUMN = {"primary", "unique", "foreign", "check", "constraint", "references"}
_CLASS = re.compile(r"\.(-?[a-zA-Z][\w-]*)(?=[^{}]*\{)")
_FILLED = r"(?:\{\{.*?\}\}|\$?\{[^{}]*\}|[^/\"'\s?#{}]+)"
"""What stands for a part of an address: a template's, a script's or a real value."""
_WIRE = {"Struct", "TypedDict", "NamedTuple"}


@dataclass(frozen=True, slots=True)
class Unused:
    """One thing that nothing uses."""

    place: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind} {self.name!r} is not used"


def find(package: Path) -> list[Unused]:
    """Look through a package; return what nothing uses, by place."""
    texts = _texts(package)
    mentions = Counter(word for text in texts.values() for word in _WORD.findall(text))
    whole = "\n".join(texts.values())
    found = [
        *_definitions(package, texts, mentions),
        *_columns(package, texts),
        *_templates(package, whole),
        *_styles(package, texts),
    ]
    return sorted((one for one in found if one.name not in ARGUED), key=lambda one: one.place)


def unmentioned(paths: Iterable[str], texts: Mapping[Path, str]) -> list[Unused]:
    """Find addresses of routes that nothing links to, calls or explains."""
    whole = "\n".join(
        _without_routes(text) if path.suffix == ".py" else text for path, text in texts.items()
    )
    return [
        Unused("routes", "address", path)
        for path in sorted(set(paths) - set(ARGUED))
        if not _address(path).search(whole)
    ]


def our_routes() -> set[str]:
    """Return the addresses that we name ourselves and describe nowhere else.

    Those of sync protocols are the protocols' own: a test holds them to a table. Those of
    the JSON API stand in its document, which is made from the routes.
    """
    named = {route.path for route in all_routes() if route.about is None}
    return named - {route.path for route in sync.ROUTES}


def _without_routes(text: str) -> str:
    """Blank where routes are declared: that is no mention."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        declared: list[ast.stmt | ast.expr] = _route_decorators(node)
        if any(name.endswith(("ROUTES", "HTML")) for name in _targets(node)):
            declared.append(node)
        for one in declared:
            last = one.end_lineno or one.lineno
            lines[one.lineno - 1 : last] = [""] * (last - one.lineno + 1)
    return "\n".join(lines)


def _route_decorators(node: ast.stmt) -> list[ast.stmt | ast.expr]:
    if not isinstance(node, ast.AsyncFunctionDef):
        return []
    return [d for d in node.decorator_list if ast.unparse(d).startswith("ROUTES.add(")]


def _address(path: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]*\})", path)
    written = "".join(_part(part) for part in parts)
    # A longer address that ends or begins with this one is another.
    return re.compile(rf"(?<![\w-]){written}(?![\w/{{-])")


def _part(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    return rf"(?:{_FILLED}/?)*" if part.endswith(":path}") else _FILLED


def _texts(package: Path) -> dict[Path, str]:
    return {
        path: path.read_text("utf-8")
        for path in sorted(package.rglob("*"))
        if path.suffix in _TEXTS
        and not {"vendor", "built", "data", "__pycache__"} & set(path.parts)
    }


def _definitions(
    package: Path, texts: Mapping[Path, str], mentions: Counter[str]
) -> Iterator[Unused]:
    """Find names that are mentioned no more often than they are defined.

    A port and its stores define a method several times, which is no use of it yet.
    """
    defined = [
        (f"{path.relative_to(package)}:{line}", kind, name)
        for path, text in texts.items()
        if path.suffix == ".py"
        for line, kind, name in _defined(ast.parse(text))
    ]
    times = Counter(name for _, _, name in defined)
    for place, kind, name in defined:
        if mentions[name] <= times[name] and not name.startswith("__"):
            yield Unused(place, kind, name)


def _defined(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not _is_command(node):
                yield node.lineno, "function", node.name
            case ast.ClassDef():
                yield node.lineno, "class", node.name
                # What is sent or received is named by its protocol, not by us.
                if not _WIRE & {_last_name(base) for base in node.bases}:
                    yield from _fields(node)
            case _:
                pass
    yield from ((n.lineno, "constant", name) for n in tree.body for name in _targets(n))


def _is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a decorator hands the function to somebody who calls it."""
    calls = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return bool(_route_decorators(node)) or any(
        _last_name(call) in {"command", "callback"} for call in calls
    )


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _fields(node: ast.ClassDef) -> Iterator[tuple[int, str, str]]:
    for inside in node.body:
        for name in _targets(inside):
            yield inside.lineno, "field", name


def _targets(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.AnnAssign):
        return [node.target.id] if isinstance(node.target, ast.Name) else []
    if isinstance(node, ast.Assign):
        return [one.id for one in node.targets if isinstance(one, ast.Name)]
    return []


def _columns(package: Path, texts: Mapping[Path, str]) -> Iterator[Unused]:
    code = "\n".join(text for path, text in texts.items() if path.suffix == ".py")
    words = set(_WORD.findall(code))
    migrations = "\n".join(t for path, t in texts.items() if path.suffix == ".sql")
    dropped = set(_DROPPED.findall(migrations))
    for path, text in texts.items():
        if path.suffix != ".sql":
            continue
        for table, body in _TABLE.findall(text):
            for column in set(_COLUMN.findall(body.lower())) - _NO_COLUMN - words:
                place = f"{path.relative_to(package)}: {table}"
                if (table, column) not in dropped:
                    yield Unused(place, "column", column)


def _templates(package: Path, whole: str) -> Iterator[Unused]:
    for path in package.rglob("templates/**/*.html"):
        folder = next(p for p in path.parents if p.name == "templates")
        name = path.relative_to(folder).as_posix()
        if name not in whole and path.name not in whole:
            yield Unused(str(path.relative_to(package)), "template", name)


def _styles(package: Path, texts: Mapping[Path, str]) -> Iterator[Unused]:
    used = "\n".join(text for path, text in texts.items() if path.suffix != ".css")
    for path, text in texts.items():
        if path.suffix == ".css":
            bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            for name in sorted(set(_CLASS.findall(bare))):
                if not _is_styled(name, used):
                    yield Unused(str(path.relative_to(package)), "style", f".{name}")


def _is_styled(name: str, used: str) -> bool:
    """Look for a class, also for one whose end a template fills in (``dot-{{ x }}``)."""
    stem = re.escape(name.rsplit("-", 1)[0])
    name = re.escape(name)
    # What stands before is looked at last: a search for plain letters is quick.
    return bool(
        re.search(rf"{name}(?<![\w-]{name})(?![\w-])", used)
        or re.search(rf"{stem}-(?<![\w-]{stem}-)(?:\{{|\$|\" ?~|' ?~)", used)
    )


def _documents() -> dict[Path, str]:
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return {path: path.read_text("utf-8") for path in paths}


def main(arguments: Iterable[str] = ()) -> int:
    """Run from the command line."""
    package = next((Path(one) for one in arguments), PACKAGE)
    found = find(package)
    if package == PACKAGE:
        found += unmentioned(our_routes(), _texts(package) | _documents())
    for one in found:
        print(one)
    print(f"{len(found)} unused things" if found else "nothing is unused")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
