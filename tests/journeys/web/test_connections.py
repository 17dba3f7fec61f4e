"""The choice between the outbound proxy and a direct connection, on pages and API."""

import pytest

from tests.serving import HTML, Server, Visitor

PROXY = "socks5://127.0.0.1:9"


async def both_read_one_feed(
    server: Server, url: str
) -> tuple[tuple[Visitor, int], tuple[Visitor, int]]:
    operator = await server.register("ada@example.org")
    reader = await server.register("bob@example.org")
    found = []
    for visitor in (operator, reader):
        reply = await visitor.post("/feeds", json={"url": url})
        assert reply.status == 201, reply.text
        found.append((visitor, int(reply.json()["id"])))
    return found[0], found[1]


@pytest.mark.threat("S28")
async def test_operators_alone_choose_how_a_feed_is_reached(server, publisher):
    (ada, of_ada), (bob, of_bob) = await both_read_one_feed(server, publisher.feed("/blog.xml"))

    refused = await bob.patch(f"/feeds/{of_bob}", json={"direct": True})
    before = (await bob.get(f"/feeds/{of_bob}")).json()["direct"]
    changed = await ada.patch(f"/feeds/{of_ada}", json={"direct": True})

    assert (refused.status, before) == (403, False)
    assert changed.json()["direct"] is True
    assert (await bob.get(f"/feeds/{of_bob}")).json()["direct"] is True


@pytest.mark.threat("S28")
async def test_edit_page_offers_the_choice_to_operators_behind_a_proxy(serve, publisher):
    url = publisher.feed("/blog.xml")
    (ada, of_ada), (_, of_bob) = await both_read_one_feed(serve(), url)
    proxied = serve(outbound_proxy=PROXY)
    operator = await proxied.sign_in("ada@example.org")
    reader = await proxied.sign_in("bob@example.org")

    plain = (await ada.get(f"/feeds/{of_ada}/edit", headers=HTML)).text
    offered = (await operator.get(f"/feeds/{of_ada}/edit", headers=HTML)).text
    hidden = (await reader.get(f"/feeds/{of_bob}/edit", headers=HTML)).text
    await operator.post(f"/feeds/{of_ada}/edit", data={"direct": "1"}, headers=HTML)
    await reader.post(f"/feeds/{of_bob}/edit", data={"direct": "0"}, headers=HTML)

    assert ('name="direct"' in plain, 'name="direct"' in hidden) == (False, False)
    assert 'name="direct"' in offered
    assert (await operator.get(f"/feeds/{of_ada}")).json()["direct"] is True
