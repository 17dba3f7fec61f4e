"""How a discovery goes on: what it asks, when it stops, what it says meanwhile."""

import pytest

from feedloom.discover import Discovery, Reply, Request, RequestKind, read_input
from feedloom.discover.ledger import NOT_CHECKED, NOT_YET
from feedloom.model.errors import (
    BadTLS,
    BlockedAddress,
    FeedloomError,
    NameNotFound,
    NotAFeed,
    TimedOut,
    Unreachable,
)
from feedloom.model.stages import Ending, FetchResponse, Origin
from tests.corpus.sites.building import Answer, html, link, moved, rss, site
from tests.unit.discover.making import SITE, entry, feed
from tests.unit.discover.memory_web import NOW, MemoryWeb, run

PAGE = {"content-type": "text/html"}


def start(text: str = SITE + "/", **rest) -> Discovery:
    return Discovery(read_input(text), now=NOW, **rest)


def page(body: str = "", *, url: str = SITE + "/", status: int = 200) -> Reply:
    return Reply(fetched=FetchResponse(url, status, PAGE, body.encode()), error=NotAFeed())


def feed_at(url: str, **rest) -> Reply:
    return Reply(fetched=FetchResponse(url, 200, {}, b"<rss/>", **rest), parsed=feed(entry()))


def fail_all(discovery: Discovery, error: FeedloomError) -> list[str]:
    """Answer every request with the same error; return what was asked."""
    asked: list[str] = []
    while requests := discovery.next_requests():
        for request in requests:
            asked.append(request.url)
            discovery.answer(request.url, Reply(error=error))
    return asked


def urls(requests: tuple[Request, ...]) -> list[str]:
    return [request.url for request in requests]


def test_it_begins_with_the_page():
    discovery = start()

    assert discovery.next_requests() == (Request(SITE + "/", RequestKind.PAGE),)
    assert discovery.next_requests() == ()
    assert not discovery.done


def test_an_answer_nobody_asked_for_is_a_bug():
    discovery = start()

    with pytest.raises(LookupError):
        discovery.answer(SITE + "/", page())


def test_candidates_are_asked_a_few_at_a_time_in_order_of_promise():
    links = "".join(link(f"/comments/{n}") for n in range(3)) + link("/a") + link("/b")
    discovery = start(at_once=2)
    discovery.next_requests()
    discovery.answer(SITE + "/", page(links))

    first = discovery.next_requests()
    waiting = discovery.next_requests()
    discovery.answer(SITE + "/b", feed_at(SITE + "/b"))
    after = discovery.next_requests()

    assert urls(first) == [SITE + "/a", SITE + "/b"]
    assert waiting == ()
    assert urls(after) == [SITE + "/comments/0"]
    assert {request.purpose for request in first} == {RequestKind.FEED}


def test_what_is_known_can_be_read_at_any_time():
    discovery = start()
    nothing_yet = discovery.result()
    discovery.next_requests()
    discovery.answer(SITE + "/", page("<title>Ann</title>" + link("/a") + link("/b")))
    discovery.next_requests()
    discovery.answer(SITE + "/b", feed_at(SITE + "/b"))

    found = discovery.result()

    assert (nothing_yet.complete, nothing_yet.canonical, nothing_yet.candidates) == (
        False,
        None,
        (),
    )
    assert not found.complete
    assert not discovery.is_settled
    assert found.site.title == "Ann"
    assert found.canonical is not None
    assert found.canonical.url == SITE + "/b"
    assert [(one.url, one.error) for one in found.candidates[1:]] == [(SITE + "/a", NOT_YET)]


def test_time_is_up_means_no_more_requests_and_an_end():
    discovery = start()
    discovery.next_requests()
    discovery.answer(SITE + "/", page(link("/a") + link("/b")))
    discovery.next_requests()
    discovery.answer(SITE + "/b", feed_at(SITE + "/b"))

    discovery.stop()

    assert discovery.done
    assert discovery.next_requests() == ()
    assert discovery.result().complete
    assert discovery.result().candidates[1].error == NOT_CHECKED


def test_a_late_answer_after_the_end_is_taken_without_a_fuss():
    discovery = start()
    discovery.next_requests()
    discovery.stop()

    discovery.answer(SITE + "/", feed_at(SITE + "/"))

    assert discovery.next_requests() == ()
    assert discovery.result().requests == 1


def test_a_pasted_feed_settles_it_at_once():
    discovery = start(SITE + "/feed")
    discovery.next_requests()
    discovery.answer(SITE + "/feed", feed_at(SITE + "/feed"))

    siblings = discovery.next_requests()

    assert discovery.is_settled
    assert not discovery.done
    assert urls(siblings) == [SITE + "/"]
    found = discovery.result()
    assert found.ending is Ending.FOUND
    assert found.canonical is not None
    assert found.canonical.origin is Origin.PASTED
    assert (found.site.title, found.site.canonical_url) == ("Ann's pages", SITE + "/")


def test_the_site_of_a_pasted_feed_is_not_visited_when_it_is_another_one():
    discovery = start("https://feeds.example/ann")
    discovery.next_requests()
    discovery.answer("https://feeds.example/ann", feed_at("https://feeds.example/ann"))

    assert discovery.next_requests() == ()
    assert discovery.done
    assert discovery.result().requests == 1


@pytest.mark.parametrize("answer", [Reply(error=TimedOut()), feed_at(SITE + "/")])
def test_siblings_are_a_courtesy_that_may_fail(answer):
    discovery = start(SITE + "/feed")
    discovery.next_requests()
    discovery.answer(SITE + "/feed", feed_at(SITE + "/feed"))
    discovery.next_requests()
    discovery.answer(SITE + "/", answer)

    assert discovery.next_requests() == ()
    found = discovery.result()
    assert [one.url for one in found.candidates] == [SITE + "/feed"]


def test_https_is_tried_before_http_and_www_comes_last():
    asked = fail_all(start("site.example"), Unreachable())

    assert asked == ["https://site.example/", "http://site.example/", "https://www.site.example/"]


def test_http_is_not_tried_when_https_answers():
    discovery = start("site.example")
    discovery.next_requests()
    discovery.answer("https://site.example/", page(status=500))

    assert "http://site.example/" not in urls(discovery.next_requests())


def test_a_name_that_does_not_exist_is_not_asked_twice():
    assert fail_all(start("site.example"), NameNotFound()) == [
        "https://site.example/",
        "https://www.site.example/",
    ]


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (Unreachable(), Ending.UNREACHABLE),
        (BadTLS(), Ending.UNREACHABLE),
        (TimedOut(), Ending.TIMED_OUT),
        (NameNotFound(), Ending.UNREACHABLE),
        (BlockedAddress(), Ending.BLOCKED_ADDRESS),
    ],
)
def test_a_page_that_does_not_answer_ends_it(error, ending):
    discovery = start()

    asked = fail_all(discovery, error)

    found = discovery.result()
    assert asked == [SITE + "/"]
    assert found.ending is ending
    assert found.complete
    assert [one.outcome for one in found.tried] == [str(error)]


def test_a_blocked_address_is_not_tried_in_other_spellings():
    assert fail_all(start("site.example"), BlockedAddress())[:1] == ["https://site.example/"]
    assert "http://site.example/" not in fail_all(start("site.example"), BlockedAddress())


def test_adapters_do_not_need_the_page():
    discovery = start("https://www.reddit.com/r/tea")
    discovery.next_requests()
    discovery.answer("https://www.reddit.com/r/tea", Reply(error=TimedOut()))

    requests = discovery.next_requests()

    assert urls(requests) == ["https://www.reddit.com/r/tea/.rss"]


def test_a_host_of_many_is_neither_guessed_at_nor_climbed():
    discovery = start("https://github.com/ann")
    discovery.next_requests()
    discovery.answer("https://github.com/ann", page(url="https://github.com/ann"))

    asked = fail_all(discovery, Unreachable())

    assert asked == ["https://github.com/ann.atom"]


def test_an_rsshub_is_the_last_resort():
    with_hub = start("https://x.com/ann", hub="https://hub.example")
    without = start("https://x.com/ann")
    for discovery in (with_hub, without):
        discovery.next_requests()
        discovery.answer("https://x.com/ann", page(url="https://x.com/ann"))

    asked = with_hub.next_requests()
    with_hub.answer(asked[0].url, feed_at(asked[0].url))

    assert urls(asked) == ["https://hub.example/twitter/user/ann"]
    assert with_hub.next_requests() == ()
    canonical = with_hub.result().canonical
    assert canonical is not None
    assert canonical.origin is Origin.EXTERNAL
    assert without.next_requests() == ()


def test_a_blocked_page_is_not_handed_to_an_rsshub():
    assert fail_all(start("https://x.com/ann", hub="https://hub.example"), BlockedAddress()) == [
        "https://x.com/ann"
    ]


def test_redirects_are_paid_for_out_of_the_same_budget():
    hosts = {"/": html()} | {f"/r{n}": moved(f"{{base0}}/r{n + 1}", 302) for n in range(50)}
    web = MemoryWeb(site("maze", "", hosts, missing=moved("{base0}/r0", 302)))

    found = run(web)

    assert len(web.requests) == found.requests <= 25
    assert found.ending is Ending.NO_FEED


def test_a_fetcher_that_does_not_count_hops_is_charged_for_the_visible_one():
    discovery = start()
    discovery.next_requests()
    discovery.answer(SITE + "/", page(url="https://www.site.example/"))

    assert discovery.result().requests == 2


@pytest.mark.parametrize("budget", [1, 6, 7, 11, 25])
def test_no_budget_is_overdrawn(budget):
    web = MemoryWeb(site("nothing", "", {"/": html(link("/a") + link("/b"))}))
    discovery = Discovery(read_input(web.served.pasted), now=NOW, budget=budget)

    asked = fail_all(discovery, TimedOut())

    assert len(asked) <= budget
    assert discovery.result().requests <= budget


def test_candidates_beyond_the_budget_are_listed_as_not_checked():
    links = "".join(link(f"/category/{n}/feed") for n in range(40))
    web = MemoryWeb(site("many", "", {"/": html(links)}))

    found = run(web)

    errors = [one.error for one in found.candidates]
    assert len(found.candidates) == 40
    assert NOT_CHECKED in errors
    assert "HTTP status 404." in errors


def test_of_very_many_candidates_only_the_promising_are_told():
    links = "".join(link(f"/category/{n}/feed") for n in range(90)) + link("/main.xml")
    web = MemoryWeb(site("many", "", {"/": html(links), "/main.xml": rss()}))

    found = run(web)

    assert len(found.candidates) == 41
    assert found.candidates[0].url.endswith("/main.xml")


def test_credentials_stay_in_the_feed_and_are_not_told_elsewhere():
    discovery = start("https://ann:secret@site.example/feed")
    asked = discovery.next_requests()
    discovery.answer(asked[0].url, feed_at(asked[0].url))
    discovery.stop()

    found = discovery.result()

    assert found.canonical is not None
    assert "secret" in found.canonical.url
    assert "secret" not in f"{found.site} {found.tried}"


def test_credentials_go_along_to_the_same_host_only():
    secret = "https://ann:secret@site.example/"
    discovery = start(secret)
    discovery.next_requests()
    discovery.answer(secret, page(link("/a") + link("https://other.example/b"), url=secret))

    asked = urls(discovery.next_requests())

    assert asked == ["https://ann:secret@site.example/a", "https://other.example/b"]


def test_failed_guesses_are_told_as_tried_but_are_no_candidates():
    found = run(MemoryWeb(site("nothing", "", {"/": html()})))

    assert found.candidates == ()
    assert any(one.url.endswith("/feed") for one in found.tried)
    assert found.tried[0].outcome == "This is a web page, not a feed."


def test_a_wall_is_tried_once_and_then_left_alone():
    web = MemoryWeb(site("wall", "", {}, missing=Answer("No", status=403)))

    run(web)

    assert len(web.requests) == 3


def test_a_host_that_falls_silent_is_left_alone():
    discovery = start()
    discovery.next_requests()
    discovery.answer(SITE + "/", page())

    asked = fail_all(discovery, TimedOut())

    assert len(asked) == 2


def test_at_most_two_pages_that_list_feeds_are_looked_into():
    buttons = "".join(f'<a href="/list{n}">RSS</a>' for n in range(5))
    hosts = {"/": html("", buttons)}
    hosts |= {f"/list{n}": html("", f'<a href="/deep/{n}.rss">x</a>') for n in range(5)}
    web = MemoryWeb(site("lists", "", hosts))

    run(web)

    assert sorted(url for url in web.requests if "/deep/" in url) == [
        "http://alpha.example/deep/0.rss",
        "http://alpha.example/deep/1.rss",
    ]


def test_a_front_page_that_is_a_feed_is_found_from_an_article():
    web = MemoryWeb(site("odd", "", {"/x/y.html": html(), "/": rss()}, pasted="{base0}/x/y.html"))

    found = run(web)

    assert found.canonical is not None
    assert (found.canonical.url, found.canonical.origin) == ("http://alpha.example/", Origin.GUESS)


def test_a_page_above_that_does_not_answer_is_passed_over():
    discovery = start(SITE + "/a/b.html")
    discovery.next_requests()
    discovery.answer(SITE + "/a/b.html", page(url=SITE + "/a/b.html"))

    asked = fail_all(discovery, TimedOut())

    assert asked[:2] == [SITE + "/a/", SITE + "/"]


def test_a_canonical_page_of_another_site_is_not_followed():
    discovery = start(SITE + "/x.html")
    discovery.next_requests()
    discovery.answer(
        SITE + "/x.html",
        page("<link rel=canonical href='https://other.example/x'>", url=SITE + "/x.html"),
    )

    asked = fail_all(discovery, TimedOut())

    assert not any("other.example" in url for url in asked)


def test_a_signpost_to_nowhere_leaves_us_where_we_are():
    discovery = start()
    discovery.next_requests()
    discovery.answer(
        SITE + "/", page("<meta http-equiv=refresh content='0;url=/x'>" + link("/feed.xml"))
    )
    discovery.next_requests()
    discovery.answer(SITE + "/x", Reply(error=TimedOut()))

    assert urls(discovery.next_requests()) == [SITE + "/feed.xml"]


def test_a_chain_of_signposts_is_followed_twice_and_no_further():
    hosts = {
        f"/{n}": html(f'<meta http-equiv="refresh" content="0;url=/{n + 1}">') for n in range(9)
    }
    web = MemoryWeb(site("signposts", "", hosts, pasted="{base0}/0"))

    run(web)

    assert [url.rpartition("/")[2] for url in web.requests[:4]] == ["0", "1", "2", ""]


def test_what_could_not_be_paid_for_is_not_taken_for_an_answer():
    discovery = start(budget=6)
    discovery.next_requests()
    discovery.answer(SITE + "/", page(link("/a") + link("/b") + link("/feed.xml")))

    asked = fail_all(discovery, TimedOut())

    named = [SITE + "/feed.xml", SITE + "/a", SITE + "/b"]
    assert asked == [*named, SITE + "/feed", SITE + "/rss"]
    assert {one.error for one in discovery.result().candidates} == {str(TimedOut())}


def test_what_the_budget_does_not_reach_is_said_to_be_unchecked():
    discovery = start(budget=2)
    discovery.next_requests()
    discovery.answer(SITE + "/", page(link("/a") + link("/b")))

    asked = fail_all(discovery, TimedOut())

    assert asked == [SITE + "/a"]
    assert [one.error for one in discovery.result().candidates] == [str(TimedOut()), NOT_CHECKED]


def test_the_last_requests_may_take_the_redirects_that_are_left():
    discovery = start(budget=3)
    discovery.next_requests()
    discovery.answer(SITE + "/", page(link("/a")))

    (request,) = discovery.next_requests()

    assert request.max_redirects == 1


def test_a_permanent_address_that_cannot_be_read_is_ignored():
    discovery = start()
    discovery.next_requests()
    discovery.answer(SITE + "/", page(link("/feed")))
    discovery.next_requests()
    discovery.answer(SITE + "/feed", feed_at(SITE + "/feed", permanent_url="https://[bad"))

    discovery.next_requests()

    assert discovery.result().candidates[0].url == SITE + "/feed"


def test_a_handle_goes_by_webfinger_then_by_the_profile_page():
    discovery = start("@ann@social.example")
    webfinger = discovery.next_requests()
    discovery.answer(webfinger[0].url, page(url=webfinger[0].url, status=404))
    profile = discovery.next_requests()
    discovery.answer(profile[0].url, page(url=profile[0].url))
    accounts = []
    while requests := discovery.next_requests():
        for request in requests:
            accounts.append(request)
            discovery.answer(request.url, Reply(error=TimedOut()))

    assert urls(webfinger)[0].startswith("https://social.example/.well-known/webfinger?")
    assert urls(profile) == ["https://social.example/@ann"]
    assert urls(tuple(accounts))[:4] == [
        "https://social.example/@ann.rss",
        "https://social.example/users/ann/feed.atom",
        "https://social.example/@ann/feed.rss",
        "https://social.example/users/ann.atom",
    ]


def test_a_handle_nobody_knows_is_not_asked_for_over_http():
    web = MemoryWeb(site("no such account", "", {}, pasted="@ann@{host0}"))
    discovery = start("@ann@social.example")
    asked: list[str] = []
    while requests := discovery.next_requests():
        for request in requests:
            asked.append(request.url)
            discovery.answer(request.url, page(url=request.url, status=404))

    found = run(web)

    assert not any(url.startswith("http:") for url in asked)
    assert discovery.result().ending is Ending.NOT_FOUND
    assert found.ending is Ending.NOT_FOUND


def test_a_handle_of_a_silent_server_is_unreachable():
    discovery = start("@ann@social.example")

    asked = fail_all(discovery, Unreachable())

    assert discovery.result().ending is Ending.UNREACHABLE
    assert len(asked) == 8


def test_a_reply_without_anything_is_an_answer_too():
    discovery = start()
    discovery.next_requests()

    discovery.answer(SITE + "/", Reply())

    assert discovery.next_requests() == ()
    assert discovery.result().tried[0].outcome == "No response."


def test_a_look_up_names_the_feed_of_a_show():
    asked = "https://podcasts.apple.com/us/podcast/the-show/id17"
    feed = "https://shows.example/17.xml"
    discovery = start(asked)
    discovery.next_requests()
    discovery.answer(asked, page(url=asked))
    (look_up,) = discovery.next_requests()
    data = FetchResponse(
        look_up.url,
        200,
        {"content-type": "text/javascript; charset=utf-8"},
        b'\n\n{"resultCount":1,"results":[{"feedUrl":"https://shows.example/17.xml"}]}',
    )
    discovery.answer(look_up.url, Reply(fetched=data, error=NotAFeed()))
    (request,) = discovery.next_requests()
    discovery.answer(request.url, feed_at(feed))

    found = discovery.result()

    assert look_up.url == "https://itunes.apple.com/lookup?id=17&entity=podcast"
    assert request.url == feed
    assert found.canonical is not None
    assert (found.canonical.url, found.canonical.origin) == (feed, Origin.PLATFORM)
    assert found.requests == 3
