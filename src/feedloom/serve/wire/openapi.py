"""The API document: OpenAPI 3.1, written from the routes themselves.

Every route of the JSON API declares its input and output in one place, so the document
is never out of date.
"""

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from feedloom import __version__
from feedloom.serve.error_responses import ProblemDocument
from feedloom.serve.routes import Access, Operation, Route

_VARIABLE = re.compile(r"\{(\w+)(?::(\w+))?\}")
_ALWAYS = (401, 403, 429, 503)
_OPEN = {Access.PUBLIC, Access.ANYONE, Access.OWN}
_WITH_BODY = (400, 408, 413, 415, 422)
_DESCRIPTION = """\
The JSON API of Feedloom. Authenticate with an app password as a bearer token, or with a
session cookie and the `X-CSRF-Token` header from `/api/me`. Errors are problem
documents (RFC 9457) with a stable `type`. Lists have an `ETag`; page through long
ones with `next_cursor`. Times are RFC 3339 in UTC.
"""


def api_document(routes: Iterable[Route]) -> dict[str, Any]:
    told = [(route, route.about) for route in routes if route.about is not None]
    shapes = _Shapes(about for _, about in told)
    paths: dict[str, dict[str, Any]] = {}
    for route, about in told:
        path = _VARIABLE.sub(r"{\1}", route.path)
        for method in route.methods:
            paths.setdefault(path, {})[method.lower()] = _operation(route, about, shapes)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Feedloom", "version": __version__, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "security": [{"appPassword": []}, {"session": []}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": shapes.components,
            "securitySchemes": {
                "appPassword": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "feedloom_session"},
            },
        },
    }


class _Shapes:
    """The schemas of everything the routes take and give."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        kinds: list[Any] = [ProblemDocument]
        for about in operations:
            kinds += [about.takes, about.asks, *about.gives.values()]
        named = list(dict.fromkeys(kind for kind in kinds if kind is not None))
        schemas, self.components = msgspec.json.schema_components(
            named, ref_template="#/components/schemas/{name}"
        )
        self._schemas: dict[Any, dict[str, Any]] = dict(zip(named, schemas, strict=True))

    def of(self, kind: Any) -> dict[str, Any]:
        if kind is bytes:
            return {"type": "string", "format": "binary"}
        return self._schemas[kind]

    def parameters(self, kind: Any) -> list[dict[str, Any]]:
        schema = self.components[kind.__name__]
        required = schema.get("required", [])
        return [
            {
                "name": name,
                "in": "query",
                "required": name in required,
                "schema": _without_null(field),
            }
            for name, field in schema["properties"].items()
        ]


def _operation(route: Route, about: Operation, shapes: _Shapes) -> dict[str, Any]:
    parameters = _path_parameters(route.path)
    if about.asks is not None:
        parameters += shapes.parameters(about.asks)
    words = [word for word in route.path.split("/") if word and word != "api"]
    said: dict[str, Any] = {
        "summary": about.summary,
        "operationId": re.sub(r"[^a-z]+", "-", about.summary.lower()),
        "tags": [words[0] if words else "feedloom"],
        "responses": _responses(route, about, shapes),
    }
    if route.access in _OPEN:
        said["security"] = []
    if parameters:
        said["parameters"] = parameters
    if about.takes is not None:
        content = {about.takes_kind: {"schema": shapes.of(about.takes)}}
        said["requestBody"] = {"required": True, "content": content}
    return said


def _responses(route: Route, about: Operation, shapes: _Shapes) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for status, kind in sorted(about.gives.items()):
        said: dict[str, Any] = {"description": HTTPStatus(status).phrase}
        told[str(status)] = said
        if kind is not None:
            media = about.kinds.get(status, "application/json")
            said["content"] = {media: {"schema": shapes.of(kind)}}
    refusals = {*_ALWAYS, *about.refuses}
    if "{" in route.path:
        refusals.add(404)
    if about.takes is not None:
        refusals.update(_WITH_BODY)
    if about.asks is not None:
        refusals.add(400)
    for status in sorted(refusals):
        content = {"application/problem+json": {"schema": shapes.of(ProblemDocument)}}
        phrase = HTTPStatus(status).phrase
        told[str(status)] = {"description": phrase, "content": content}
    return told


def _path_parameters(path: str) -> list[dict[str, Any]]:
    found = []
    for name, _ in _VARIABLE.findall(path):
        schema: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
        if not name.endswith("id"):
            schema = {"type": "string", "minLength": 1}
        found.append({"name": name, "in": "path", "required": True, "schema": schema})
    return found


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in schema.items() if value is not None}
    kinds = [kind for kind in given.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1:
        given.pop("anyOf")
        given |= kinds[0]
    if isinstance(given.get("enum"), list):
        given["enum"] = [value for value in given["enum"] if value is not None]
    return given
