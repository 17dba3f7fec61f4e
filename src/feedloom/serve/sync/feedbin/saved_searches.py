"""Saved searches: their names, and the entries each one finds."""

from dataclasses import asdict
from http import HTTPStatus

from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import SavedSearch, Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feedbin.calls import Call, nothing, tagged
from feedloom.serve.sync.feedbin.entry_lists import ids_of, page_of


async def list_searches(call: Call) -> Response:
    found = await call.services.saved_searches.searches(call.user.id)
    return tagged(call, [asdict(search) for search in found])


async def entries(call: Call) -> Response:
    """Tell which entries a search finds; with ``include_entries`` show them."""
    search = await call.services.saved_searches.search(call.user.id, call.id())
    wanted = Wanted(text=search.query)
    if call.given.flag("include_entries", default=False):
        return await page_of(call, wanted)
    if call.given.number("page", 1) != 1:
        # All ids are on the first: else whoever asks for pages would never come to an end.
        raise NotFound("Page not found.")
    return await ids_of(call, wanted)


async def create(call: Call) -> Response:
    name, query = call.given.text("name"), call.given.text("query")
    made = await call.services.saved_searches.save(call.user.id, name, query)
    return _shown(call, made, HTTPStatus.CREATED)


async def change(call: Call) -> Response:
    """Change the name, the query or both."""
    store, given = call.services.saved_searches, call.given
    old = await store.search(call.user.id, call.id())
    changed = await store.change(
        call.user.id,
        old.id,
        name=given.text("name") if given.says("name") else old.name,
        query=given.text("query") if given.says("query") else old.query,
    )
    return _shown(call, changed, HTTPStatus.OK)


def _shown(call: Call, search: SavedSearch, status: HTTPStatus) -> Response:
    headers = {"Location": call.address(f"/saved_searches/{search.id}.json")}
    return json_answer(asdict(search), status=status, headers=headers)


async def delete(call: Call) -> Response:
    await call.services.saved_searches.delete(call.user.id, call.id())
    return nothing()
