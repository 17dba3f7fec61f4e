"""Video players: a page of our own for each, which may frame that one site only.

Our other pages frame nothing but this page, so their policy names no foreign host, and a
video may come from any PeerTube server. The signature tells that this installation
handed out the address: nobody else can make us frame a page of theirs.
"""

import hmac
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from feedloom.markup import Video, video_at
from feedloom.model.errors import NotAllowed, NotFound
from feedloom.serve.auth import services
from feedloom.serve.image_addresses import decoded, encoded
from feedloom.serve.pages.assets import STYLE, asset_url
from feedloom.serve.routes import Access, Route

_POLICY = (
    "default-src 'none'; style-src 'self'; frame-src {}; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'self'"
)
_PAGE = """<!doctype html>
<html lang="en" class="video-page">
<head><meta charset="utf-8"><title>Video player</title><link rel="stylesheet" href="{style}"></head>
<body><iframe src="{player}" title="Video player" referrerpolicy="{referrer}"
 allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
 sandbox="allow-scripts allow-same-origin allow-presentation"></iframe></body>
</html>
"""


def player_path(secret_key: bytes, video: Video) -> str:
    return f"/videos/{_signature(secret_key, video.player)}/{encoded(video.player)}"


async def _show(request: Request) -> Response:
    url = decoded(request.path_params["address"])
    signed = _signature(services(request).secret_key, url)
    if not hmac.compare_digest(request.path_params["signature"].encode(), signed.encode()):
        raise NotAllowed("This video address is not valid.")
    video = video_at(url)
    if video is None:
        raise NotFound
    # YouTube plays nothing for pages that do not name their site.
    referrer = "strict-origin" if video.site == "YouTube" else "no-referrer"
    page = _PAGE.format(style=asset_url(STYLE), player=escape(url), referrer=referrer)
    origin = "/".join(url.split("/")[:3])
    headers = {"Content-Security-Policy": _POLICY.format(origin), "X-Frame-Options": "SAMEORIGIN"}
    return HTMLResponse(page, headers=headers)


def _signature(secret_key: bytes, url: str) -> str:
    return hmac.digest(secret_key, f"video player {url}".encode(), "sha256").hex()[:32]


ROUTES = (Route("/videos/{signature}/{address}", _show, ("GET",), Access.PERSON),)
