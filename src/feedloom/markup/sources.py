"""Picture addresses in clean markup: replaced by our own, with known sizes.

The last step before markup is shown. What comes out is no ``CleanHTML`` to be stored:
its addresses are those of one installation, for a while.
"""

import re
from collections.abc import Callable, Sequence

from feedloom.markup.allowed import BLOCKS
from feedloom.markup.references import unescaped
from feedloom.model.feed import CleanHTML

Address = Callable[[str, int], str]
Size = Callable[[str], tuple[int, int] | None]
_TAG = re.compile(r'<(img|source|video)((?: [a-z-]+="[^"]*")+)>')
_LARGE = re.compile(
    r'(<a(?: [a-z]+="[^"]*")*? href="(https?://[^"]+\.(?:avif|gif|jpe?g|png|webp))")'
    r"(?=[^<>]*>\s*<(?:img|picture)[ >])",
    re.IGNORECASE,
)
"""A link around a picture that leads to a larger one."""
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_WEB = ("http://", "https://")
UNSIZED = "unsized"
"""The class of a picture that gets room of its own, because nobody knows its size yet."""
IN_LINE = "in-line"
"""The class of one that gets the height of its line: it may be an icon."""
EMOJI = "emoji"
"""The class of one that stands for a character."""
_SMALLEST = 100
"""In pixels: what is smaller stands for no article."""
_MOST_SIZES = 100
"""Pictures of one article whose sizes are looked up."""
_CELLS = "caption|td|th"
_LINES = "|".join(sorted(BLOCKS - {*_CELLS.split("|")}, key=len, reverse=True))
_IN_LINE = rf"(?:\s|</?(?!(?:{_LINES}|{_CELLS})[ >])[a-z][^<>]*>)*+"
_LINE_BEGINS = re.compile(rf"(?:\A|</?(?:{_LINES})(?: [^<>]*)?>){_IN_LINE}\Z")
_LINE_ENDS = re.compile(rf"{_IN_LINE}(?:\Z|</?(?:{_LINES})[ >])")
_PHOTO = re.compile(r"\.(?:avif|heic|jpe?g|webp)(?:[?#]|\Z)", re.IGNORECASE)
_NO_PHOTO = re.compile("avatar|badge|button|emoji|formula|icon|latex|logo|math|smil", re.IGNORECASE)
_FORMULA = re.compile("formula|latex|math", re.IGNORECASE)
_TEX = re.compile(r"(\\[A-Za-z]+)|[\\{}^_\s]")
_CHARACTER = 10
"""In pixels: about as wide as a character of a formula."""
_WIDEST_FORMULA = 300
_FEW_WORDS = 2
"""The descriptions of icons have no more."""
_LONGEST_EMOJI = 12
"""In characters: a family is four people and three joiners."""
_EMOJI_FROM = "\u203c"
_NEARBY = 9_000
"""Characters around a picture in which the tags around it stand whole."""
_SIZES = "(max-width: 48rem) 100vw, 48rem"


def with_images(
    content: CleanHTML, address: Address, size: Size, widths: Sequence[int]
) -> CleanHTML:
    """Return markup whose pictures and posters come from where ``address`` says."""
    if "<img" not in content and "<video" not in content and "<source" not in content:
        return content
    rewriter = _Rewriter(address, size, widths)
    return CleanHTML(_TAG.sub(rewriter.tag, _LARGE.sub(rewriter.large, content)))


def first_picture(content: CleanHTML) -> str | None:
    """Return the address of the first picture that is no icon."""
    for name, attributes in _TAG.findall(content):
        values = dict(_ATTRIBUTE.findall(attributes))
        sizes = [values.get("width", ""), values.get("height", "")]
        is_small = any(size.isdecimal() and int(size) < _SMALLEST for size in sizes)
        if name == "img" and values.get("src", "").startswith(_WEB) and not is_small:
            return unescaped(values["src"])
    return None


class _Rewriter:
    def __init__(self, address: Address, size: Size, widths: Sequence[int]) -> None:
        self._address = address
        self._size = size
        self._widths = widths
        self._sizes_left = _MOST_SIZES

    def large(self, found: re.Match[str]) -> str:
        return f'{found[1]} data-large="{self._moved(found[2], self._widths[-1])}"'

    def tag(self, found: re.Match[str]) -> str:
        name = found[1]
        values: dict[str, str] = dict(_ATTRIBUTE.findall(found[2]))
        if name == "img" and "src" not in values:
            values["src"] = values.get("srcset", "").rpartition(", ")[2].partition(" ")[0]
        if name != "video" and "srcset" in values:
            values["srcset"] = self._source_set(values["srcset"])
        if name == "img" and values["src"].startswith(_WEB):
            self._image(values, found)
        if values.get("poster", "").startswith(_WEB):
            values["poster"] = self._moved(values["poster"], self._widths[-1])
        return f"<{name}" + "".join(f' {k}="{v}"' for k, v in values.items()) + ">"

    def _image(self, values: dict[str, str], found: re.Match[str]) -> None:
        source = values["src"]
        values["src"] = self._moved(source, self._widths[-1])
        if self._sizes_left == 0 or values["src"] == source:
            return
        written = values.get("width", "")
        given = int(written) if written.isdecimal() else 0
        if given < _SMALLEST and _is_emoji(unescaped(values.get("alt", ""))):
            values["class"] = EMOJI
            return
        self._sizes_left -= 1
        original = self._size(unescaped(source))
        if original is None or 0 in original:
            is_sized = given and ("height" in values or given < _SMALLEST)
            if not is_sized and (_is_photo(source, values, given) or _is_alone(found)):
                values["class"] = UNSIZED
            elif not is_sized:
                values["class"] = IN_LINE
                if _FORMULA.search(source):
                    values["width"] = str(_formula_width(values.get("alt", "")))
            return
        width, height = original
        # A publisher's height may be wrong, or a share of something.
        shown = given or width
        values["width"], values["height"] = str(shown), str(round(shown * height / width))
        small, large = self._widths[-2:]
        if "srcset" not in values and width > small:
            narrow = self._moved(source, small)
            values["srcset"] = f"{narrow} {small}w, {values['src']} {min(width, large)}w"
            values["sizes"] = _SIZES

    def _source_set(self, written: str) -> str:
        kept: dict[str, str] = {}
        for candidate in written.split(", "):
            source, _, descriptor = candidate.partition(" ")
            if not source.startswith(_WEB):
                continue
            number = descriptor.removesuffix("w")
            width = int(number) if number.isdecimal() else self._widths[-1]
            enough = next((w for w in self._widths if w >= width), self._widths[-1])
            moved = self._moved(source, enough)
            if number.isdecimal() and moved != source:
                descriptor = f"{min(width, enough)}w"
            kept.setdefault(descriptor, f"{moved} {descriptor}".rstrip())
        return ", ".join(kept.values())

    def _moved(self, source: str, width: int) -> str:
        url = unescaped(source)
        moved = self._address(url, width)
        return source if moved == url else moved


def _is_emoji(alt: str) -> bool:
    is_short = 0 < len(alt) <= _LONGEST_EMOJI
    return is_short and max(alt) >= _EMOJI_FROM and not any(c.isalpha() or c.isspace() for c in alt)


def _formula_width(tex: str) -> int:
    signs = _TEX.sub(lambda found: "x" if found[1] else "", tex)
    return min(_CHARACTER * (len(signs) + 1), _WIDEST_FORMULA)


def _is_photo(source: str, values: dict[str, str], width: int) -> bool:
    """Guess by what is written about a picture whether it is large."""
    if width or "srcset" in values:
        return True
    is_told = len(values.get("alt", "").split()) > _FEW_WORDS
    return bool(is_told or _PHOTO.search(source)) and not _NO_PHOTO.search(source)


def _is_alone(found: re.Match[str]) -> bool:
    """Tell whether a line holds nothing but pictures."""
    text, start, end = found.string, *found.span()
    before, after = text[max(0, start - _NEARBY) : start], text[end : end + _NEARBY]
    return bool(_LINE_BEGINS.search(before) and _LINE_ENDS.match(after))
