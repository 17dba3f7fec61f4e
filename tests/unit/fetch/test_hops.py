import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.fetch.redirects import Hop, first_hop, next_hop, permanent_url
from feedloom.model.errors import BlockedAddress, RedirectError
from feedloom.model.stages import FetchRequest
from tests.unit.fetch.spellings import TRICKS

HERE = "http://a.example/feed"


def chain(ask: FetchRequest, *redirects: tuple[int, str], at_most: int = 5) -> Hop:
    hop = first_hop(ask, "agent")
    for status, location in redirects:
        hop = next_hop(hop, status, location, at_most=at_most)
    return hop


def moved(*redirects: tuple[int, str], url: str = HERE) -> str | None:
    ask = FetchRequest(url)
    return permanent_url(chain(ask, *redirects), ask)


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("http://b.example/x", "http://b.example/x"),
        ("/x?y=1#z", "http://a.example/x?y=1"),
        ("x", "http://a.example/x"),
        ("?page=2", "http://a.example/feed?page=2"),
        ("//b.example/x", "http://b.example/x"),
        ("HTTPS://B.example:443/x", "https://b.example/x"),
        (" /x ", "http://a.example/x"),
        ("/ü", "http://a.example/%C3%BC"),
        ("/\udcfc", "http://a.example/%FC"),
        ("/caf\udce9.xml?q=\udcff", "http://a.example/caf%E9.xml?q=%FF"),
        ("/ü/\udce9", "http://a.example/%C3%BC/%E9"),
        ("http://ü.example/\udce9", "http://xn--tda.example/%E9"),
        ("http://user:word@b.example/x", "http://b.example/x"),
    ],
)
def test_location_is_read_against_the_address_that_said_it(location, target):
    assert str(chain(FetchRequest(HERE), (302, location)).address) == target


@pytest.mark.parametrize(
    "location", ["", "javascript:alert(1)", "file:///etc/passwd", "http://", "http://0x7f.1"]
)
def test_location_that_leads_nowhere_is_an_error(location):
    with pytest.raises(RedirectError):
        chain(FetchRequest(HERE), (302, location))


def test_missing_location_is_named_as_such():
    with pytest.raises(RedirectError, match="without giving a target"):
        chain(FetchRequest(HERE), (302, ""))


def test_loop_is_an_error():
    with pytest.raises(RedirectError, match="in a loop"):
        chain(FetchRequest(HERE), (302, "/b"), (302, "/c"), (302, "/b"))


def test_redirect_to_itself_is_an_error():
    with pytest.raises(RedirectError, match="in a loop"):
        chain(FetchRequest(HERE), (301, HERE))


def test_as_many_redirects_as_allowed_are_followed_and_no_more():
    steps = [(302, f"/{n}") for n in range(5)]

    assert str(chain(FetchRequest(HERE), *steps).address) == "http://a.example/4"
    with pytest.raises(RedirectError, match="too many times"):
        chain(FetchRequest(HERE), *steps, (302, "/last"))


def test_without_any_allowed_the_first_redirect_is_an_error():
    with pytest.raises(RedirectError):
        chain(FetchRequest(HERE), (302, "/b"), at_most=0)


def test_leading_permanent_redirects_tell_where_it_moved():
    assert moved((301, "/b"), (308, "/c"), (302, "/d"), (301, "/e")) == ("http://a.example/c")


@pytest.mark.parametrize("status", [302, 303, 307])
def test_temporary_redirect_first_moves_nothing(status):
    assert moved((status, "/b"), (301, "/c")) is None


@pytest.mark.threat("S13")
def test_move_stops_before_encryption_is_lost():
    assert moved((301, "/b"), (301, "http://a.example/c"), url="https://a.example/") == (
        "https://a.example/b"
    )
    assert moved((301, "http://a.example/c"), url="https://a.example/") is None


def test_move_to_encryption_is_taken():
    assert moved((301, "https://a.example/feed")) == "https://a.example/feed"


def test_move_within_the_origin_keeps_the_password():
    assert moved((301, "/b"), url="http://ann:pw@a.example/") == ("http://ann:pw@a.example/b")


def test_move_to_another_origin_loses_the_password():
    assert moved((301, "https://a.example/b"), url="http://ann:pw@a.example/") == (
        "https://a.example/b"
    )


SECRET = {"Cookie": "secret", "X-Api-Key": "secret", "Authorization": "secret"}


def test_secrets_stay_while_the_origin_does():
    hop = chain(FetchRequest(HERE, headers=SECRET), (302, "/b"), (301, "/c"))

    assert hop.headers["cookie"] == "secret"
    assert hop.at_home


@pytest.mark.threat("S14")
@pytest.mark.parametrize(
    "elsewhere",
    ["http://b.example/", "https://a.example/", "http://a.example:81/", "http://sub.a.example/"],
)
def test_secrets_are_dropped_with_the_origin_and_not_given_back(elsewhere):
    hop = chain(FetchRequest(HERE, headers=SECRET), (302, elsewhere), (302, "http://a.example/x"))

    assert "secret" not in str(hop.headers)
    assert not hop.at_home


def test_password_in_the_address_goes_into_a_header_only():
    hop = first_hop(FetchRequest("http://ann:secret@a.example/"), "agent")

    assert str(hop.address) == "http://a.example/"
    assert hop.headers["authorization"].startswith("Basic ")


POST = FetchRequest(HERE, method="post", body=b"secret", headers={"Content-Type": "x/y"})


@pytest.mark.parametrize("status", [301, 302, 303])
def test_sent_body_is_not_repeated_when_a_page_is_offered_instead(status):
    hop = chain(POST, (status, "/b"))

    assert (hop.method, hop.body) == ("GET", None)
    assert "content-type" not in hop.headers


@pytest.mark.parametrize("status", [307, 308])
def test_sent_body_is_repeated_within_the_origin(status):
    hop = chain(POST, (status, "/b"))

    assert (hop.method, hop.body) == ("POST", b"secret")


@pytest.mark.parametrize("status", [307, 308])
def test_sent_body_never_goes_to_another_origin(status):
    with pytest.raises(RedirectError):
        chain(POST, (status, "http://b.example/"))


def test_page_offered_after_sending_may_be_the_same_address():
    assert chain(POST, (303, HERE)).method == "GET"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_head_stays_head(status):
    assert chain(FetchRequest(HERE, method="HEAD"), (status, "/b")).method == "HEAD"


def test_other_methods_are_repeated_but_for_see_other():
    assert chain(FetchRequest(HERE, method="PUT", body=b"x"), (302, "/b")).method == "PUT"
    assert chain(FetchRequest(HERE, method="PUT", body=b"x"), (303, "/b")).method == "GET"


@pytest.mark.parametrize("url", ["", "feeds.example", "http://", *TRICKS[31:]])
def test_unusable_address_is_blocked(url):
    with pytest.raises(BlockedAddress):
        first_hop(FetchRequest(url), "agent")


@given(st.text(), st.sampled_from([301, 302, 303, 307, 308]))
def test_any_location_gives_a_hop_or_a_redirect_error(location, status):
    try:
        hop = chain(FetchRequest(HERE), (status, location))
    except RedirectError:
        return

    assert hop.address.scheme in {"http", "https"}
    assert not hop.address.userinfo


@given(st.text())
def test_any_address_gives_a_hop_or_is_blocked(url):
    try:
        hop = first_hop(FetchRequest(url), "agent")
    except BlockedAddress:
        return

    assert hop.address.host
