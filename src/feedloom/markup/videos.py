"""Videos of the big sites and of PeerTube: recognised by their addresses, shown as cards.

Nothing is asked of anybody. A paragraph that is only a link to a video becomes a card: a
picture with a link to the video's page, and the address of a player that a script loads
when somebody clicks. Cards are made when markup is shown, never stored.
"""

import html
import re
from collections.abc import Callable
from typing import NamedTuple

from feedloom.markup.references import unescaped
from feedloom.model.feed import CleanHTML


class Video(NamedTuple):
    site: str
    page: str
    player: str
    thumbnail: str = ""
    """A picture, or what its site tells of the video (oEmbed), which names one."""


Player = Callable[[Video], str]
"""Gives the address of our own page around a player."""
_HOST = r"(?P<host>(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63})"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SHORT_UUID = r"[1-9A-HJ-NP-Za-km-z]{22}"
_END = r"(?:[?&#/].*)?"
_SITES = (
    (
        "YouTube",
        (
            r"(?:(?:www\.|m\.|music\.)?youtube(?:-nocookie)?\.com/"
            r"(?:watch/?\?(?:[^#]*&)?v=|(?:embed|shorts|live|v)/)|youtu\.be/)"
            rf"(?!videoseries|live_stream)(?P<id>[\w-]{{11}}){_END}"
        ),
        "https://www.youtube.com/watch?v={id}",
        "https://www.youtube-nocookie.com/embed/{id}?autoplay=1",
        "https://i.ytimg.com/vi/{id}/hqdefault.jpg",
    ),
    (
        "Vimeo",
        (
            r"(?:www\.|player\.)?vimeo\.com/(?:video/|channels/[\w-]+/|groups/[\w-]+/videos/)?"
            rf"(?P<id>\d{{1,12}})(?:(?:/|\?(?:[^#]*&)?h=)(?P<hash>[0-9a-f]{{6,20}}))?{_END}"
        ),
        "https://vimeo.com/{id}",
        "https://player.vimeo.com/video/{id}?dnt=1&autoplay=1&h={hash}",
        "https://vimeo.com/api/oembed.json?url=https%3A%2F%2Fvimeo.com%2F{id}%2F{hash}",
    ),
    (
        "Dailymotion",
        (
            r"(?:(?:www\.)?dailymotion\.com/(?:embed/)?video/|dai\.ly/"
            r"|geo\.dailymotion\.com/player(?:/\w+)?\.html\?(?:[^#]*&)?video=)"
            rf"(?P<id>[a-zA-Z0-9]{{5,12}})(?:_[\w-]*)?{_END}"
        ),
        "https://www.dailymotion.com/video/{id}",
        "https://geo.dailymotion.com/player.html?video={id}",
        "https://www.dailymotion.com/thumbnail/video/{id}",
    ),
    (
        "TED",
        rf"(?:www\.|embed\.)?ted\.com/talks/(?:lang/[\w-]+/)?(?P<id>\w{{3,150}}){_END}",
        "https://www.ted.com/talks/{id}",
        "https://embed.ted.com/talks/{id}",
        (
            "https://www.ted.com/services/v1/oembed.json"
            "?url=https%3A%2F%2Fwww.ted.com%2Ftalks%2F{id}"
        ),
    ),
    (
        "PeerTube",
        rf"{_HOST}/(?:videos/(?:watch|embed)|w)/(?P<id>{_UUID}|{_SHORT_UUID}){_END}",
        "https://{host}/w/{id}",
        "https://{host}/videos/embed/{id}",
        "https://{host}/services/oembed?format=json&url=https%3A%2F%2F{host}%2Fw%2F{id}",
    ),
)
_KNOWN = tuple(
    (re.compile(f"https?://{pattern}", re.ASCII), site, addresses)
    for site, pattern, *addresses in _SITES
)
_ANY = re.compile(r"youtu|vimeo|dailymotion|dai\.ly|ted\.com/talks|/videos/(?:watch|embed)/|/w/")
_FILE = re.compile(r"https?://[^?#]+\.(?:mp4|m4v|webm|ogv)(?:[?#].*)?", re.IGNORECASE)
_MARKED = re.compile(rf"{_ANY.pattern}|\.(?:mp4|m4v|webm|ogv)", re.IGNORECASE)
_ALONE = re.compile(
    r'<p(?: [^<>]*)?>\s*<a ((?:[a-z]+="[^"]*" ?)+)>((?:[^<]++|<(?!/?(?:a|p)[ >]))*+)</a>\s*</p>'
)
_HREF = re.compile(r'href="([^"]*)"')
_IMAGE = re.compile(r'<img [^<>]*?\bsrc="([^"]*)"')
_TAG = re.compile(r"<[^<>]*>")
_LONGEST_TITLE = 200


def video_at(url: str) -> Video | None:
    """Return the video whose page or player stands at an address, if it is one we know."""
    if not _ANY.search(url):
        return None
    for pattern, site, addresses in _KNOWN:
        if found := pattern.fullmatch(url):
            parts = found.groupdict("")
            filled = (text.format(**parts) for text in addresses)
            return Video(site, *(text.removesuffix("&h=").removesuffix("%2F") for text in filled))
    return None


def with_videos(content: CleanHTML, player: Player, *, thumbnails: bool) -> CleanHTML:
    """Return clean markup whose lonely links to videos are cards.

    Without ``thumbnails`` a card has a picture only if the article itself shows one.
    """
    if not _MARKED.search(content):
        return content
    return CleanHTML(_ALONE.sub(lambda link: _card_of(link, player, thumbnails), content))


def video_card(
    video: Video, player: Player, *, title: str, picture: str = "", link: str = "", length: str = ""
) -> CleanHTML:
    page = html.escape(link or video.page)
    name = html.escape(title or f"Video on {video.site}")
    # hqdefault.jpg has black bars, which the style sheet cuts off with the rest.
    shown = (
        f'<img loading="lazy" src="{html.escape(picture)}" alt="" width="640" height="360">'
        if picture
        else ""
    )
    host = html.escape(video.player.split("/")[2])
    site = html.escape(video.page.split("/")[2].removeprefix("www."))
    rel = 'target="_blank" rel="noopener noreferrer nofollow"'
    return CleanHTML(
        f'<figure class="video"><a class="video-open" {rel} href="{page}"'
        f' data-video="{html.escape(player(video))}" aria-label="Play: {name}"'
        f' title="Loads the player from {host}">{shown}</a>'
        f'<figcaption>{name} · {length}<a {rel} href="{page}">{site}</a></figcaption></figure>'
    )


def _card_of(link: re.Match[str], player: Player, thumbnails: bool) -> str:  # noqa: FBT001 - private
    href = _HREF.search(link[1])
    url = unescaped(href[1]) if href else ""
    title = " ".join(unescaped(_TAG.sub(" ", link[2])).split())[:_LONGEST_TITLE]
    title = "" if title.startswith(("http:", "https:", "www.", "Video on ")) else title
    if _FILE.fullmatch(url):
        return (
            f'<figure><video controls="" preload="none" src="{html.escape(url)}"></video>'
            f"<figcaption>{link[0][link[0].index('<a ') : -len('</p>')]}</figcaption></figure>"
        )
    video = video_at(url)
    if video is None:
        return link[0]
    image = _IMAGE.search(link[2])
    picture = unescaped(image[1]) if image else video.thumbnail if thumbnails else ""
    return video_card(video, player, title=title, picture=picture, link=url)
