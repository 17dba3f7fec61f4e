"""The sanitiser: untrusted HTML in, ``CleanHTML`` out.

Cleaning what is clean changes nothing, any input costs time in proportion to its
length, and when anything goes wrong the content is withheld: raw markup never leaves.
"""

import re
from typing import Protocol

import nh3

from feedloom.markup.allowed import DROPPED_WITH_CONTENT, JUDGED, SCHEMES, TAGS, UNUSUAL
from feedloom.markup.attributes import current_base, judge
from feedloom.markup.floods import (
    MANY_TAGS,
    MAX_CHARACTERS,
    balance,
    flattened,
    has_more_tags,
    is_flood,
    needs_balance,
)
from feedloom.markup.images import finish_images, replace_frames
from feedloom.model.feed import CleanHTML


class Native(Protocol):
    def clean(self, html: str) -> str: ...


def is_panic(error: BaseException) -> bool:
    """Tell a panic of native code from an interrupt or an exit.

    A panic is no ``Exception``, and its class cannot be imported.
    """
    return type(error).__name__ == "PanicException"


WITHHELD = CleanHTML("<p>This content could not be shown safely.</p>")

_MAX_ROUNDS = 6
_INLINE_DATA = re.compile(r"data:[\w/+.-]{1,100};base64,[A-Za-z0-9+/=%]{100,}+")
# Parsing what was serialised gives the same tree again, for usual elements. With others
# (one that we drop may have kept two neighbours apart) that has to be checked, and so
# it has when links or headings came out inside one another.
_LINK_IN_LINK = re.compile(r"<a[ >](?:[^<]++|<(?!/?a[ >]))*+<a[ >]")
_HEADING_IN_HEADING = re.compile(r"<h[1-6][ >](?:[^<]++|<(?!/?h[1-6]))*+<h[1-6]")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_C0 = bytes({*range(0x20)} - {*b"\t\n"})
# What serialised start tags become. Exact, because text and values have "<" escaped,
# and far cheaper than letting the library add attributes.
_LINK = "<a "
_LINK_WRITTEN = '<a target="_blank" rel="noopener noreferrer nofollow" '
_PLAYER = re.compile("<(audio|video)\\b")
_PLAYER_WRITTEN = r'<\1 controls="" preload="none"'
# Parsers swallow a line break here and serialisers do not give it back.
_FIRST_LINE_BREAK = re.compile(r"(<pre(?: [^>]*)?>)\n+")


def native_cleaner(tags: frozenset[str] = TAGS) -> Native:
    return nh3.Cleaner(
        tags=tags,
        clean_content_tags=DROPPED_WITH_CONTENT,
        attributes=JUDGED,
        attribute_filter=judge,
        link_rel=None,
        url_schemes=SCHEMES,
    )


class Sanitiser:
    """Cleans markup with a native library. Usable from several threads."""

    def __init__(self, native: Native) -> None:
        self._native = native

    def clean(self, html: str, *, base_url: str | None = None) -> CleanHTML:
        """Return markup that is safe to show; ``WITHHELD`` if there is no way to it."""
        if _is_its_own_markup(html):
            return CleanHTML(html)
        token = current_base.set(base_url)
        try:
            return CleanHTML(self._cleaned(html, base_url))
        except RecursionError:
            return WITHHELD
        except BaseException as error:
            if is_panic(error):
                return WITHHELD
            raise
        finally:
            current_base.reset(token)

    def _cleaned(self, html: str, base: str | None) -> str:
        if len(html) > MAX_CHARACTERS:
            html = _INLINE_DATA.sub("", html)
        if is_flood(html):
            return flattened(_FORBIDDEN.sub("", html))
        if UNUSUAL.search(html):
            return self._settled(self._one_pass(replace_frames(html, base)))
        result = self._one_pass(html, usual=True)
        return self._settled(result) if _needs_check(result) else result

    def _settled(self, html: str) -> str:
        for _ in range(_MAX_ROUNDS):
            if is_flood(html):
                break
            again = self._one_pass(html)
            if again == html:
                return html
            html = again
        return flattened(html)

    def _one_pass(self, html: str, *, usual: bool = False) -> str:
        if needs_balance(html):
            html = balance(html)
        try:
            html = self._native.clean(html)
        except UnicodeEncodeError:
            html = self._native.clean(_FORBIDDEN.sub("", html))
        html = _without_controls(finish_images(html))
        # Parsers drop a byte order mark in front of a document, however it got there.
        html = html.lstrip("\ufeff").replace(_LINK, _LINK_WRITTEN)
        if not usual:
            html = _PLAYER.sub(_PLAYER_WRITTEN, html)
        return _FIRST_LINE_BREAK.sub(r"\1", html) if "<pre" in html else html


def _is_its_own_markup(text: str) -> bool:
    plain = "<" not in text and "&" not in text and ">" not in text
    return plain and text.isprintable()


def _needs_check(html: str) -> bool:
    return bool(
        len(html) > MAX_CHARACTERS
        or has_more_tags(html, MANY_TAGS)
        or _LINK_IN_LINK.search(html)
        or _HEADING_IN_HEADING.search(html)
    )


def _without_controls(html: str) -> str:
    # Deleting from bytes is three times as fast as searching text for a rare find.
    written = html.encode()
    clean = len(written.translate(None, _C0)) == len(written)
    if clean and "\ufffe" not in html and "\uffff" not in html:
        return html
    # Parsers read a carriage return as a line break, unless it is a reference to one.
    html = html.replace("\r\n", "\n").replace("\r", "\n")
    return _FORBIDDEN.sub("", html)


_THE_SANITISER = Sanitiser(native_cleaner())


def clean_html(html: str, *, base_url: str | None = None) -> CleanHTML:
    """Return markup that is safe to show, its addresses resolved against ``base_url``.

    Never raises: markup that cannot be cleaned gives ``WITHHELD``.
    """
    return _THE_SANITISER.clean(html, base_url=base_url)
