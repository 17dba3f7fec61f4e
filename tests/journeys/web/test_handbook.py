"""The documentation, served by the program itself."""

from collections.abc import Callable, Iterator

import pytest
from playwright.async_api import Browser, expect

from feedloom.model.errors import NotFound
from feedloom.serve.pages.handbook import FOLDER, find_page
from tests.browser import Axe, watch_errors
from tests.databases import sqlite_databases
from tests.serving import HTML, Server, open_server

PAGES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.html"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run one server; `make setup` has built what it hands out."""
    folder = tmp_path_factory.mktemp("library")
    with open_server(sqlite_databases(folder), folder) as server:
        yield server


async def test_anybody_may_read_it(library: Server):
    visitor = library.visitor()
    reply = await visitor.get("/docs/", headers=HTML)
    style = await visitor.get("/docs/docs.css")

    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "Feedloom" in reply.text
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert "--accent" in style.text


async def test_the_bare_address_leads_into_the_folder(library: Server):
    reply = await library.visitor().get("/docs")

    assert (reply.status, reply.headers["location"]) == (308, "/docs/")


@pytest.mark.parametrize("path", ["absent.html", "../site.py", "%2e%2e/site.py", "user", "user/"])
async def test_what_was_not_built_is_not_there(library: Server, path: str):
    reply = await library.visitor().get(f"/docs/{path}")

    assert reply.status == 404


def test_a_tree_without_it_says_how_to_build_it():
    with pytest.raises(NotFound, match="make docs"):
        find_page({}, "")


async def test_every_page_fits_a_phone_and_is_accessible(
    library: Server, browser: Browser, axe: Axe, scaled: Callable[[int, int], int]
):
    page = await browser.new_page(base_url=library.url, viewport={"width": 360, "height": 740})
    errors = watch_errors(page)
    wide, bad = {}, {}
    names = list(PAGES)
    for name in names[:: scaled(5, 1)]:
        await page.goto(f"/docs/{name}")
        wide[name] = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        bad[name] = await axe(page)

    assert len(names) > 20
    assert {name: by for name, by in wide.items() if by > 0} == {}
    assert {name: found for name, found in bad.items() if found} == {}
    assert errors == []


async def test_its_search_finds_words_and_leads_there(library: Server, browser: Browser):
    page = await browser.new_page(base_url=library.url, color_scheme="dark")
    errors = watch_errors(page)
    await page.goto("/docs/operator/proxies.html")
    await page.get_by_label("Search the documentation").fill("glossary")
    await page.locator("#found a").first.click()

    await expect(page).to_have_url(f"{library.url}/docs/glossary.html")
    assert errors == []
