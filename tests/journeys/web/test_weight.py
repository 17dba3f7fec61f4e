"""What pages weigh for somebody with a thousand feeds. How long they take is a benchmark."""

from pathlib import Path

from bench.pages import (
    AS_BROWSERS_ASK,
    PAGE_KB,
    PAGES,
    STEP_KB,
    WHOLE_PAGES,
    Visitor,
    cookie_of,
    reader_with,
)
from feedloom.app import open_container
from feedloom.serve.pages.appearance import CHOICES
from tests.containers import settings_for
from tests.databases import sqlite_databases

FEEDS, EACH = 1_000, 3


async def test_pages_and_steps_stay_light_with_a_thousand_feeds(tmp_path: Path):
    sent = {}
    async with open_container(settings_for(sqlite_databases(tmp_path), tmp_path)) as container:
        user, folders = await reader_with(container, FEEDS, EACH)
        visitor = Visitor(container.application(), (await cookie_of(container, user)).encode())
        for name, path, headers in PAGES:
            where = path.format(folder=folders[0])
            status, size, *_ = await visitor.ask(where, (*headers, *AS_BROWSERS_ASK))
            assert status == 200, where
            sent[name] = size
        for layout in CHOICES["layout"].words:
            await container.accounts.store.save_settings(user.id, {"layout": layout})
            asked = ((b"hx-request", b"true"), *AS_BROWSERS_ASK)
            _, sent[layout], *_ = await visitor.ask("/read/all?part=rows", asked)

    pages = {name: sent.pop(name) for name in WHOLE_PAGES}
    assert {name: size for name, size in pages.items() if size > PAGE_KB * 1000} == {}
    assert {name: size for name, size in sent.items() if size > STEP_KB * 1000} == {}
