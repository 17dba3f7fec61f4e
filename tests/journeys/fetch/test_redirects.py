"""Redirects over the wire: where they lead, what they may take along."""

import pytest

from feedloom.model.errors import BlockedAddress, FetchError, RedirectError
from feedloom.model.stages import FetchRequest
from tests.publisher import Answer

OTHER = "127.0.7.1"
SECRETS = {
    "Authorization": "Bearer s3cret",
    "Cookie": "id=s3cret",
    "X-Api-Key": "s3cret",
    "X-Auth-Token": "s3cret",
    "Whatever": "s3cret",
}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_every_kind_of_redirect_is_followed(fetcher, publisher, status):
    url = publisher.redirect("/old", "/feed.xml", status=status)
    target = publisher.feed()

    answer = await fetcher.fetch(FetchRequest(url))

    assert (answer.status, answer.url, answer.hops) == (200, target, 1)
    assert answer.permanent_url == (target if status in {301, 308} else None)


@pytest.mark.parametrize("form", ["absolute", "relative", "no scheme", "odd"])
async def test_every_form_of_location_is_read(fetcher, publisher, form):
    target = publisher.script("/a/b", Answer(body=b"here"))
    location = {
        "absolute": target,
        "relative": "../a/./b",
        "no scheme": target.removeprefix("http:"),
        "odd": f"  {target.upper().replace('/A/B', '/a/b')}#part ",
    }[form]
    url = publisher.redirect("/start/here", location)

    assert (await fetcher.fetch(FetchRequest(url))).url == target


@pytest.mark.threat("S9")
async def test_five_redirects_are_followed_and_a_sixth_is_not(fetcher, publisher):
    for number in range(6):
        publisher.redirect(f"/{number}", f"/{number + 1}")
    publisher.page("/6", "the end")

    answer = await fetcher.fetch(FetchRequest(publisher.url("/1")))

    assert (answer.status, answer.hops) == (200, 5)
    with pytest.raises(RedirectError, match="too many times"):
        await fetcher.fetch(FetchRequest(publisher.url("/0")))


async def test_number_of_redirects_can_be_chosen(fetcher, publisher):
    url = publisher.redirect("/a", "/b")

    with pytest.raises(RedirectError):
        await fetcher.fetch(FetchRequest(url, max_redirects=0))

    assert publisher.count("/b") == 0


@pytest.mark.threat("S9")
@pytest.mark.parametrize("name", ["redirect_loop", "redirect_nowhere"])
async def test_redirect_that_leads_nowhere_is_an_error(fetcher, publisher, name):
    with pytest.raises(RedirectError):
        await fetcher.fetch(FetchRequest(publisher.evil(name)))


@pytest.mark.threat("S9")
async def test_loop_over_two_hosts_is_an_error(fetcher, publisher):
    here = publisher.url("/b", host=OTHER)
    publisher.redirect("/b", publisher.url("/a"), host=OTHER)

    with pytest.raises(RedirectError, match="in a loop"):
        await fetcher.fetch(FetchRequest(publisher.redirect("/a", here)))


@pytest.mark.threat("S10")
@pytest.mark.parametrize(
    "location",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:,x",
        "gopher://x",
        "http://",
        "http://127.0.0.1:0/",
        "http://2130706433/",
        "http://0x7f000001/",
    ],
)
async def test_redirect_to_what_is_no_page_is_an_error(fetcher, publisher, location):
    with pytest.raises(RedirectError):
        await fetcher.fetch(FetchRequest(publisher.redirect("/a", location)))


@pytest.mark.threat("S9")
async def test_redirect_into_the_private_network_is_blocked(guarded, wire, publisher):
    wire.names["public.example"] = [["93.184.216.34"]]
    publisher.redirect("/a", publisher.url("/secret"))

    with pytest.raises(BlockedAddress):
        await guarded.fetch(FetchRequest("http://public.example/a"))

    assert publisher.count("/secret") == 0
    assert wire.reached == []


@pytest.mark.threat("S13")
async def test_moves_are_told_only_as_far_as_they_are_permanent(fetcher, publisher):
    publisher.redirect("/a", "/b", status=301)
    publisher.redirect("/b", "/c", status=308)
    publisher.redirect("/c", "/d", status=302)
    publisher.redirect("/d", "/e", status=301)
    publisher.page("/e", "the end")

    answer = await fetcher.fetch(FetchRequest(publisher.url("/a")))

    assert answer.url == publisher.url("/e")
    assert answer.permanent_url == publisher.url("/c")


async def test_validators_go_along_with_redirects(fetcher, publisher):
    feed = publisher.feed(host=OTHER)
    etag = (await fetcher.fetch(FetchRequest(feed))).headers["etag"]

    answer = await fetcher.fetch(FetchRequest(publisher.redirect("/a", feed), etag=etag))

    assert (answer.status, answer.url) == (304, feed)


async def test_secrets_reach_their_own_origin_after_a_redirect(fetcher, publisher):
    publisher.page("/b", "here")
    url = publisher.redirect("/a", "/b").replace("//", "//ann:s3cret@")

    await fetcher.fetch(FetchRequest(url, headers={"Cookie": "id=s3cret"}))

    for request in publisher.requests:
        assert request.headers["cookie"] == "id=s3cret"
        assert request.headers["authorization"].startswith("Basic ")


@pytest.mark.threat("S14")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_secrets_never_cross_origins(fetcher, publisher, status):
    other = publisher.page("/b", "theirs", host=OTHER)
    url = publisher.redirect("/a", other, status=status)

    answer = await fetcher.fetch(FetchRequest(url, headers=SECRETS))

    assert answer.status == 200
    assert "s3cret" in str(publisher.asked("/a")[0].headers)
    assert "s3cret" not in str(publisher.asked("/b")[0].headers)


@pytest.mark.threat("S14")
async def test_password_of_the_address_never_crosses_origins(fetcher, publisher):
    other = publisher.redirect("/b", publisher.url("/c"), host=OTHER)
    publisher.page("/c", "back home")
    url = publisher.redirect("/a", other).replace("//", "//ann:s3cret@")

    answer = await fetcher.fetch(FetchRequest(url))

    sent = [request.headers.get("authorization") for request in publisher.requests]
    assert sent[0] is not None
    assert sent[1:] == [None, None]
    assert "s3cret" not in answer.url


@pytest.mark.threat("S14")
async def test_password_in_a_location_is_not_used(fetcher, publisher):
    target = publisher.page("/b", "here").replace("//", "//mallory:pw@")

    answer = await fetcher.fetch(FetchRequest(publisher.redirect("/a", target)))

    assert "authorization" not in publisher.asked("/b")[0].headers
    assert answer.url == publisher.url("/b")


async def test_sent_body_stays_at_home(fetcher, publisher):
    other = publisher.page("/b", "theirs", host=OTHER)
    url = publisher.redirect("/a", other, status=307)

    with pytest.raises(RedirectError):
        await fetcher.fetch(FetchRequest(url, method="POST", body=b"s3cret"))

    assert publisher.count("/b") == 0


@pytest.mark.threat("S22")
async def test_cookies_are_never_kept(fetcher, publisher):
    cookie = {"set-cookie": "id=1; Path=/"}
    publisher.script("/a", Answer(302, headers={"location": "/b", **cookie}))
    publisher.script("/b", Answer(body=b"ok", headers=cookie))

    answer = await fetcher.fetch(FetchRequest(publisher.url("/a")))
    await fetcher.fetch(FetchRequest(publisher.url("/b")))

    assert publisher.count() == 3
    assert all("cookie" not in request.headers for request in publisher.requests)
    assert "set-cookie" not in answer.headers


@pytest.mark.threat("S15")
async def test_password_shows_in_no_error(fetcher, publisher, caplog):
    caplog.set_level("DEBUG")
    places = ["garbage", "close", "redirect_loop", "cut_gzip", "reset", "endless_body"]
    said: list[str] = []

    for name in places:
        url = publisher.evil(name).replace("//", "//ann:s3cret@")
        with pytest.raises(FetchError) as caught:
            await fetcher.fetch(FetchRequest(url))
        error: BaseException | None = caught.value
        while error is not None:
            said.append(f"{error!r} {error} {getattr(error, 'detail', '')}")
            error = error.__cause__

    assert len(said) >= len(places)
    assert "s3cret" not in "".join(said)
    assert "YW5uOnMzY3JldA" not in "".join(said)  # ann:s3cret in Base64
    assert "s3cret" not in caplog.text
