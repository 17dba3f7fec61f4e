"""Picture addresses in clean markup: replaced by our own, with known sizes.

The last step before markup is shown. What comes out is no ``CleanHTML`` to be stored:
its addresses are those of one installation, for a while.
"""

import re
from collections.abc import Callable, Sequence

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
"""The class of a picture that has room of its own and whose size nobody knows yet."""
_SMALLEST = 100
"""In pixels: what is smaller stands for no article."""
_MOST_SIZES = 100
"""Pictures of one article whose sizes are looked up."""
_BLOCK_BEFORE = re.compile(r"</?(?:p|div|figure|a|picture|source|br)(?: [^<>]*)?>\s*\Z")
_BLOCK_AFTER = re.compile(r"\s*(?:\Z|</?(?:p|div|figure|figcaption|a|picture|br)[ >])")
_NEARBY = 9_000
"""Characters before a picture in which the tag before it stands whole."""
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
        if name != "video" and "srcset" in values:
            values["srcset"] = self._source_set(values["srcset"])
        if name == "img" and values.get("src", "").startswith(_WEB):
            self._image(values, found)
        if values.get("poster", "").startswith(_WEB):
            values["poster"] = self._moved(values["poster"], self._widths[-1])
        return f"<{name}" + "".join(f' {k}="{v}"' for k, v in values.items()) + ">"

    def _image(self, values: dict[str, str], found: re.Match[str]) -> None:
        source = values["src"]
        values["src"] = self._moved(source, self._widths[-1])
        if self._sizes_left == 0 or values["src"] == source:
            return
        self._sizes_left -= 1
        original = self._size(unescaped(source))
        if original is None or 0 in original:
            if "width" not in values and _is_alone(found):
                values["class"] = UNSIZED
            return
        width, height = original
        given = values.get("width", "")
        if not given:
            values["width"], values["height"] = str(width), str(height)
        elif given.isdecimal() and "height" not in values:
            values["height"] = str(round(int(given) * height / width))
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


def _is_alone(found: re.Match[str]) -> bool:
    """Tell whether a picture stands in a line of its own."""
    text, start = found.string, found.start()
    before = text[max(0, start - _NEARBY) : start]
    return (not before.strip() or bool(_BLOCK_BEFORE.search(before))) and bool(
        _BLOCK_AFTER.match(text, found.end())
    )
