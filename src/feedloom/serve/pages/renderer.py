"""Templates in, HTML out: a whole page, or the part of it that htmx asked for.

``render`` knows what every page knows. ``render_page`` also gathers the sidebar, but
only when a whole page is drawn. Pages extend ``base.html`` and fill its blocks ``title``
and ``main``; asked for the main part only, the same template gives just that.

The size of a compressed page can tell what is in it to somebody who makes a browser ask
for it with text of theirs in the address. So only what this site's own pages ask for, or
a person's own navigation, is compressed; and the form tokens in pages are masked anew
each time.
"""

import gzip
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache, partial
from http import HTTPStatus

import brotli  # type: ignore[import-untyped]  # it has no types
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from feedloom.flow.pictures import WIDTHS
from feedloom.markup import (
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
from feedloom.serve.pages.appearance import (
    CHOICES,
    FIXED_KEYS,
    SHORTCUTS,
    TEXT_CHOICES,
    appearance_of,
)
from feedloom.serve.pages.assets import asset_url, scripts
from feedloom.serve.pages.forms import read_done
from feedloom.serve.pages.navigation import NavFeed, alarms_of, build_navigation, health_of
from feedloom.serve.pages.players import player_path
from feedloom.serve.security import csrf_token
from feedloom.serve.sync.icons import icon_path

_WORTH_BYTES = 1_024
_FOREIGN_IMAGES = {"http": "'self' https:", "off": "'self' https: http:"}
Headers = Mapping[str, str] | None
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
        lasts = next((f.duration_s for f in article.enclosures if f.duration_s), None)
        card = video_card(
            video,
            player,
            title=article.shown_title,
            picture=_video_picture(article, images),
            link=article.url,
            length=f"{formatting.playing_time(lasts)} · " if lasts else "",
        )
        clean = CleanHTML(card + clean)
    return Markup(images.rewrite(clean))  # noqa: S704 - made by the sanitiser


def _video_picture(article: Article, images: ImageAddresses) -> str:
    """Return the picture of an article that is a video; nothing for other articles."""
    video = video_at(article.url)
    if video is None:
        return ""
    return article.thumbnail_url or (video.thumbnail if images.mode == "all" else "")


@pass_context
def _thumbnail(context: Context, article: Article, of_all: bool = False) -> str:  # noqa: FBT001, FBT002 - a filter's argument
    images: ImageAddresses = context["images"]
    picture = _video_picture(article, images)
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
    for name in ("counted", "letter", "hue", "signs_in", "judged_parts"):
        environment.globals[name] = getattr(formatting, name)
    environment.globals |= {
        "asset_url": asset_url,
        "scripts": scripts,
        "health_of": health_of,
        "shortcuts": SHORTCUTS,
        "fixed_keys": FIXED_KEYS,
        "text_choices": TEXT_CHOICES,
        "layout_words": CHOICES["layout"].words,
    }
    for name in ("badge", "browser", "first_line", "host", "minutes", "on_day", "playing_time"):
        environment.filters[name] = getattr(formatting, name)
    environment.filters |= {
        "bytes": formatting.size,
        "iso": datetime.isoformat,
        "shown": shown_address,
        "thumbnail": _thumbnail,
        "trusted": _shown,
        "web": formatting.web,
    }
    return environment


_TEMPLATES = _environment()


@lru_cache(20_000)
def _side_row(feed: NavFeed, key: bytes, is_here: bool) -> str:  # noqa: FBT001 - part of a cache's key
    """Draw a feed's row of the sidebar; most of a thousand did not change since."""
    icon = icon_path(key, feed.favicon_id) if feed.favicon_id else ""
    template = _TEMPLATES.get_template("parts/side_feed.html")
    return template.render(feed=feed, icon=icon, is_here=is_here)


def side_rows(key: bytes, feeds: Iterable[NavFeed], here: str) -> Markup:
    """Draw the rows of feeds; whoever has the same feed with the same count shares one."""
    _, is_feed, place = here.rpartition("/read/feed/")
    current = place if is_feed else ""
    rows = [_side_row(feed, key, current == str(feed.id)) for feed in feeds]
    return Markup("".join(rows))  # noqa: S704 - templates of ours, escaped


def render(
    request: Request, template: str, status: int = 200, headers: Headers = None, **context: object
) -> HTMLResponse:
    actor = maybe_actor(request)
    user = actor.user if actor else None
    now = services(request).clock.now()
    images = image_addresses(request, user)
    key = services(request).secret_key
    known = {
        "request": request,
        "actor": actor,
        "csrf_token": csrf_token(request),
        "layout": f"layouts/{'part' if wants_main_part(request) else 'page'}.html",
        "look": appearance_of(user),
        "services": services(request),
        "nav": None,
        "alarms": (),
        "done": read_done(request),
        "images": images,
        "now": now,
        "icon_of": partial(icon_path, key),
        "feed_links": partial(side_rows, key),
        "ago": lambda at: formatting.ago(at, now),
        "briefly": lambda at: formatting.briefly(at, now),
    }
    text = _TEMPLATES.get_template(template).render(known | context)
    body, encoding = _compressed(request, text.encode())
    response = HTMLResponse(body, status, dict(headers or {}))
    if images.mode != "all":
        response.headers["Content-Security-Policy"] = csp(_FOREIGN_IMAGES[images.mode])
    response.headers.add_vary_header("Accept, HX-Request, Accept-Encoding, Sec-Fetch-Site")
    if encoding is not None:
        response.headers["Content-Encoding"] = encoding
    return response


def _compressed(request: Request, body: bytes) -> tuple[bytes, str | None]:
    """Return a body and its encoding, ``None`` where it stays as it is."""
    is_ours = request.headers.get("sec-fetch-site") in {"same-origin", "none"}
    if len(body) < _WORTH_BYTES or not is_ours:
        return body, None
    accepted = request.headers.get("accept-encoding", "")
    if "br" in accepted:
        return brotli.compress(body, quality=4), "br"
    if "gzip" in accepted:
        return gzip.compress(body, 5, mtime=0), "gzip"
    return body, None


async def render_page(
    request: Request, template: str, status: int = 200, headers: Headers = None, **context: object
) -> HTMLResponse:
    """Fill a template of a whole page, with the sidebar unless htmx keeps its own."""
    who = maybe_actor(request)
    if who is not None and not wants_main_part(request):
        context["nav"] = build_navigation(await my_sidebar(request))
        if who.user.is_operator:
            context["alarms"] = alarms_of(await services(request).oversight.signs())
    if template.startswith("admin/"):
        context["asks_registration"] = await services(request).registration.is_unanswered()
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
