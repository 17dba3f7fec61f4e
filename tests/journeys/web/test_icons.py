"""Icons of strangers are pictures to us, also when they are opened as pages."""

import pytest

from feedloom.app import Container
from feedloom.flow.pictures import image_type
from feedloom.model.reader import Icon
from feedloom.serve.sync.icons import icon_path
from feedloom.store import IconStore
from tests.serving import Server

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="self.c1=1"><script>self.c2=1</script></svg>'


async def address(server: Server, icon: Icon) -> str:
    async def run(container: Container) -> str:
        user = await container.accounts.store.create("icon@example.org", "-")
        services = container.services()
        await services.subscriptions.subscribe(user.id, "https://site.example/f")
        feed = (await services.subscriptions.subscriptions(user.id))[0]
        assert feed.feed_id is not None
        await IconStore(container.work).save(feed.feed_id, icon)
        return icon_path(services.secret_key, 1)

    return await server.call(run)


@pytest.mark.threat("X11")
async def test_an_icon_opened_as_a_page_can_do_nothing(server: Server):
    path = await address(server, Icon("https://x/i.svg", "image/svg+xml", SVG))

    reply = await server.visitor().get(path)

    policy = reply.headers["Content-Security-Policy"]
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "image/svg+xml"
    assert "default-src 'none'" in policy
    assert "sandbox" in policy.split("; ")
    assert "allow-scripts" not in policy
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.threat("X11", "S16")
async def test_an_address_of_an_icon_that_was_changed_finds_nothing(server: Server):
    path = await address(server, Icon("https://x/i.svg", "image/svg+xml", SVG))
    visitor = server.visitor()
    wrong = (path[:-1] + ("0" if path[-1] != "0" else "1"), path.replace("/1/", "/2/"))

    assert [(await visitor.get(one)).status for one in wrong] == [404, 404]


@pytest.mark.threat("X11", "P15")
@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><script>1</script>",
        b"<html><svg></svg></html>",
        b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>",
        b"GIF",
        b"PK\x03\x04",
        b"%PDF-1.7",
        b"",
    ],
)
def test_what_is_no_picture_is_no_icon(body: bytes):
    assert image_type(body) is None
