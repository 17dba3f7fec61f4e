"""Templates in, HTML out: a whole page, or the part of it that htmx asked for.

``render`` knows what every page knows. ``render_page`` also gathers the sidebar, but
only when a whole page is drawn. Pages extend ``base.html`` and fill its blocks ``title``
and ``main``; asked for the main part only, the same template gives just that.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache, partial
from http import HTTPStatus

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from feedloom.flow.pictures import WIDTHS
from feedloom.markup import (
    Player,
    Video,
    clean_html,
    video_at,
    video_card,
    with_anchors,
    with_videos,
    without_title,
)
from feedloom.model.errors import FeedloomError
from feedloom.model.feed import CleanHTML
from feedloom.model.overviews import Sidebar
from feedloom.model.reader import Article
from feedloom.model.urls import shown_address
from feedloom.serve.auth import actor as signed_in
from feedloom.serve.auth import maybe_actor, services
from feedloom.serve.error_responses import problem_of
from feedloom.serve.image_addresses import ImageAddresses, image_addresses
from feedloom.serve.middleware.asgi import csp
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages import formatting
from feedloom.serve.pages.appearance import LAYOUT_WORDS, TEXT_CHOICES, appearance_of
from feedloom.serve.pages.assets import asset_url, scripts
from feedloom.serve.pages.compression import VARY, compress
from feedloom.serve.pages.navigation import NavFeed, alarms_of, build_navigation, health_of
from feedloom.serve.pages.notices import read_done
from feedloom.serve.pages.players import player_path
from feedloom.serve.pages.shortcuts import FIXED, SHORTCUTS
from feedloom.serve.security import csrf_token
from feedloom.serve.sync.icons import icon_path

_FOREIGN_IMAGES = {"http": "'self' https:", "off": "'self' https: http:"}
_WHOLE = "layouts/page.html"
_PART = "layouts/part.html"


_SCROLLING = re.compile(r"<(pre|table)(?=[ >])")


@pass_context
def _shown(
    context: Context, content: CleanHTML, title: str = "", article: Article | None = None
) -> Markup:
    """Let markup through, with cards for videos, and pictures from where the reader wants them.

    An article of a video site begins with its video.
    """
    images: ImageAddresses = context["images"]
    player = partial(player_path, context["services"].secret_key)
    clean = with_videos(_trusted(content, title), player, thumbnails=images.mode == "all")
    if article:
        clean = with_anchors(clean, article.url, article.item_no)
    video = video_at(article.url) if article else None
    if article and video and player(video) not in clean:
        clean = CleanHTML(_video_of(article, video, player, images) + clean)
    return Markup(images.rewrite(clean))  # noqa: S704 - made by the sanitiser


def _video_of(article: Article, video: Video, player: Player, images: ImageAddresses) -> CleanHTML:
    picture = thumbnail_of(article, images)
    lasts = next((f.duration_s for f in article.enclosures if f.duration_s), None)
    return video_card(
        video,
        player,
        title=article.shown_title,
        picture=picture,
        link=article.url,
        length=f"{formatting.playing_time(lasts)} · " if lasts else "",
    )


def thumbnail_of(article: Article, images: ImageAddresses) -> str:
    """Return the picture of an article that is a video; nothing for other articles."""
    video = video_at(article.url)
    if video is None:
        return ""
    return article.thumbnail_url or (video.thumbnail if images.mode == "all" else "")


@pass_context
def _thumbnail(context: Context, article: Article, of_all: bool = False) -> str:  # noqa: FBT001, FBT002 - a filter's argument
    images: ImageAddresses = context["images"]
    picture = thumbnail_of(article, images)
    if of_all:
        picture = picture or formatting.web(article.thumbnail_url or "")
    return images.address(picture, WIDTHS[0]) if picture else ""


def _trusted(content: CleanHTML, title: str = "") -> CleanHTML:
    """Let markup of the one sanitiser through, cleaned once more.

    Rows may have been cleaned by an older release with older rules; cleaning what is
    clean changes nothing. What may scroll sideways can be focused, for keyboards. A
    heading at the start that is the title once more, and nothing else, is left out.
    """
    clean = str(without_title(clean_html(content), title))
    # Without quotation marks: in the value of an attribute this is only more text.
    return CleanHTML(_SCROLLING.sub(r"<\1 tabindex=0", clean))


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("feedloom.serve.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "asset_url": asset_url,
        "scripts": scripts,
        "counted": formatting.counted,
        "letter": formatting.letter,
        "hue": formatting.hue,
        "health_of": health_of,
        "shortcuts": SHORTCUTS,
        "fixed_keys": FIXED,
        "text_choices": TEXT_CHOICES,
        "layout_words": LAYOUT_WORDS,
        "signs_in": formatting.signs_in,
        "judged_parts": formatting.judged_parts,
    }
    environment.filters |= {
        "badge": formatting.badge,
        "browser": formatting.browser,
        "bytes": formatting.size,
        "first_line": formatting.first_line,
        "host": formatting.host,
        "shown": shown_address,
        "on_day": formatting.on_day,
        "minutes": formatting.minutes,
        "iso": datetime.isoformat,
        "playing_time": formatting.playing_time,
        "thumbnail": _thumbnail,
        "trusted": _shown,
        "web": formatting.web,
    }
    return environment


_TEMPLATES = _environment()
_ROWS_KEPT = 20_000
_SIDE_FEED = "parts/side_feed.html"


@lru_cache(_ROWS_KEPT)
def _side_row(feed: NavFeed, key: bytes, is_here: bool) -> str:  # noqa: FBT001 - part of a cache's key
    """Draw a feed's row of the sidebar; most of a thousand did not change since."""
    icon = icon_path(key, feed.favicon_id) if feed.favicon_id else ""
    template = _TEMPLATES.get_template(_SIDE_FEED)
    return template.render(feed=feed, icon=icon, is_here=is_here)


def side_rows(key: bytes, feeds: Iterable[NavFeed], here: str) -> Markup:
    """Draw the rows of feeds; whoever has the same feed with the same count shares one."""
    _, is_feed, place = here.rpartition("/read/feed/")
    current = place if is_feed else ""
    rows = [_side_row(feed, key, current == str(feed.id)) for feed in feeds]
    return Markup("".join(rows))  # noqa: S704 - templates of ours, escaped


def render(
    request: Request,
    template: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: object,
) -> HTMLResponse:
    actor = maybe_actor(request)
    user = actor.user if actor else None
    now = services(request).clock.now()
    images = image_addresses(request, user)
    known = {
        "request": request,
        "actor": actor,
        "csrf_token": csrf_token(request),
        "layout": _PART if wants_main_part(request) else _WHOLE,
        "look": appearance_of(user),
        "services": services(request),
        "nav": None,
        "alarms": (),
        "done": read_done(request),
        "images": images,
        "now": now,
        "icon_of": partial(icon_path, services(request).secret_key),
        "feed_links": partial(side_rows, services(request).secret_key),
        "ago": lambda at: formatting.ago(at, now),
        "briefly": lambda at: formatting.briefly(at, now),
    }
    text = _TEMPLATES.get_template(template).render(known | context)
    body, encoding = compress(request, text.encode())
    response = HTMLResponse(body, status, dict(headers or {}))
    if images.mode != "all":
        response.headers["Content-Security-Policy"] = csp(_FOREIGN_IMAGES[images.mode])
    response.headers.add_vary_header(VARY)
    if encoding is not None:
        response.headers["Content-Encoding"] = encoding
    return response


async def render_page(
    request: Request,
    template: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: object,
) -> HTMLResponse:
    """Fill a template of a whole page, with the sidebar unless htmx keeps its own."""
    who = maybe_actor(request)
    if who is not None and not wants_main_part(request):
        context["nav"] = build_navigation(await my_sidebar(request))
        if who.user.is_operator:
            context["alarms"] = alarms_of(await services(request).oversight.signs())
    if template.startswith("admin/"):
        unanswered = await services(request).registration.is_unanswered()
        context["asks_registration"] = unanswered
    return render(request, template, status, headers, **context)


async def render_form(
    request: Request,
    template: str,
    error: FeedloomError | None,
    status: int = HTTPStatus.OK,
    **context: object,
) -> HTMLResponse:
    """Fill a template of a page with a form; beside it stands what is wrong, if anything."""
    problem, headers = None, None
    if error is not None:
        problem = problem_of(request, error)
        status, headers = problem.status, problem.headers
    return await render_page(request, template, status, headers, problem=problem, **context)


async def my_sidebar(request: Request) -> Sidebar:
    found: Sidebar | None = getattr(request.state, "sidebar", None)
    if found is None:
        user_id = signed_in(request).user.id
        found = await services(request).overviews.sidebar(user_id)
        request.state.sidebar = found
    return found


def wants_main_part(request: Request) -> bool:
    return is_htmx(request) and request.headers.get("hx-target") == "main#main"
