"""Static files: styles, scripts, icons; read once, cached by browsers for good.

All of them share one version, which is part of their address: relative imports and
images then carry it too, and a browser asks for a file once per release. The style
sheets are handed out as one.
"""

import gzip
import hashlib
import json
import mimetypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # it has no types
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.serve.routes import Access, Route

FOLDER = Path(__file__).parent / "static"
_MANIFEST = Path(__file__).with_name("manifest.json")
STYLE = "feedloom.css"
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".ico": "image/x-icon",
    ".webp": "image/webp",
    ".html": "text/html; charset=utf-8",
    ".toml": "text/plain; charset=utf-8",
    ".sql": "text/plain; charset=utf-8",
}


@dataclass(slots=True)
class Asset:
    body: bytes
    media_type: str
    shorter: dict[str, bytes] = field(default_factory=dict)

    def encoded(self, accepted: str) -> tuple[bytes, str | None]:
        if not self.media_type.startswith(("text/", "image/svg")):
            return self.body, None
        for name, encode in _ENCODERS.items():
            if name in accepted:
                if name not in self.shorter:
                    self.shorter[name] = encode(self.body)
                return self.shorter[name], name
        return self.body, None


_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": brotli.compress,
    "gzip": lambda body: gzip.compress(body, 9, mtime=0),
}


@cache
def assets() -> dict[str, Asset]:
    found = read_folder(FOLDER)
    sheets = [found[name].body for name in sorted(found) if name.startswith("css/")]
    found[STYLE] = Asset(b"\n".join(sheets), _TYPES[".css"])
    return found


def read_folder(folder: Path) -> dict[str, Asset]:
    return {
        path.relative_to(folder).as_posix(): Asset(path.read_bytes(), _media_type(path.name))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@cache
def version() -> str:
    digest = hashlib.sha256()
    for name, asset in sorted(assets().items()):
        digest.update(f"{name}\n{len(asset.body)}\n".encode())
        digest.update(asset.body)
    return digest.hexdigest()[:12]


def asset_url(name: str) -> str:
    return f"/static/{version()}/{name}"


@cache
def scripts() -> tuple[str, ...]:
    return tuple(name for name in sorted(assets()) if name.startswith("js/"))


def _media_type(name: str) -> str:
    guessed, _ = mimetypes.guess_type(name)
    return _TYPES.get(Path(name).suffix) or guessed or "application/octet-stream"


async def _static(request: Request) -> Response:
    asset = assets().get(request.path_params["name"])
    if asset is None:
        raise NotFound
    is_current = request.path_params["version"] == version()
    return answer_asset(request, asset, _FOR_EVER if is_current else _FOR_AN_HOUR)


def answer_asset(request: Request, asset: Asset, caching: str) -> Response:
    body, encoding = asset.encoded(request.headers.get("accept-encoding", ""))
    headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
    if encoding is not None:
        headers["Content-Encoding"] = encoding
    return Response(body, headers=headers, media_type=asset.media_type)


async def _service_worker(_request: Request) -> Response:
    kept = [STYLE, "vendor/htmx.min.js", "icons/logo.svg", *scripts()]
    offline = json.dumps({"version": version(), "kept": [asset_url(n) for n in kept]})
    body = f"self.SHELL = {offline};\n".encode() + assets()["service-worker.js"].body
    headers = {"Cache-Control": "no-cache", "Service-Worker-Allowed": "/"}
    return Response(body, headers=headers, media_type=_TYPES[".js"])


async def _manifest(_request: Request) -> Response:
    manifest = json.loads(_MANIFEST.read_bytes())
    for icon in manifest["icons"]:
        icon["src"] = asset_url(icon["src"])
    headers = {"Cache-Control": _FOR_AN_HOUR}
    return Response(json.dumps(manifest), headers=headers, media_type=_TYPES[".webmanifest"])


def _at_root(name: str) -> Route:
    """Serve a file where programs look for it without being told."""

    async def endpoint(request: Request) -> Response:
        return answer_asset(request, assets()[name], _FOR_AN_HOUR)

    return Route(f"/{Path(name).name}", endpoint, ("GET",), Access.PUBLIC)


ROUTES = (
    Route("/static/{version}/{name:path}", _static, ("GET",), Access.PUBLIC),
    Route("/service-worker.js", _service_worker, ("GET",), Access.PUBLIC),
    Route("/manifest.webmanifest", _manifest, ("GET",), Access.PUBLIC),
    _at_root("icons/favicon.ico"),
    _at_root("icons/apple-touch-icon.png"),
    _at_root("robots.txt"),
)
