"""How many entries of a document are kept: all of the first one, where that is wanted."""

from pathlib import Path

from tests.containers import open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import entries
from tests.publisher import Publisher


async def test_the_first_fetch_may_take_a_whole_back_catalogue(
    engine_url: Databases, tmp_path: Path
):
    settings = settings_for(engine_url, tmp_path, first_fetch_entries=100)
    async with open_home(settings) as home, Publisher() as publisher:
        subscription = await home.subscribe(publisher.feed("/a.xml", entries=entries(80)))
        await home.refresh()
        kept = len(await home.articles())
        publisher.feed("/a.xml", entries=entries(200))
        await home.refresh()

        assert kept == 80
        assert len(await home.articles()) == 80 + 50
        assert (await home.look(subscription)).state == "healthy"


async def test_by_default_the_newest_fifty_entries_are_kept(engine_url: Databases, tmp_path: Path):
    async with open_home(settings_for(engine_url, tmp_path)) as home, Publisher() as publisher:
        await home.subscribe(publisher.feed("/a.xml", entries=entries(80)))
        await home.refresh()

        assert len(await home.articles()) == 50
