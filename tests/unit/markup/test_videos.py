"""Videos are recognised by their addresses, and lonely links to them become cards."""

import re

import pytest

from feedloom.markup import Video, clean_html, video_at, video_card, with_videos
from feedloom.model.feed import CleanHTML
from tests.unit.markup.inspection import body_of

ID = "abc_-123456"
UUID = "9c9de5e8-0a1e-484a-b099-e80766180a6d"
TUBE = f"https://www.youtube-nocookie.com/embed/{ID}?autoplay=1"
PEER = f"https://tube.example.org/videos/embed/{UUID}"

OURS = {"alt", "aria-label", "class", "data-video", "height", "href", "loading", "rel"} | {
    *("src", "target", "title", "width")
}


def player(video: Video) -> str:
    return f"/videos/of?{video.player}"


def carded(markup: str, *, thumbnails: bool = True) -> str:
    return with_videos(clean_html(markup), player, thumbnails=thumbnails)


@pytest.mark.parametrize(
    ("url", "site", "shown"),
    [
        (f"https://www.youtube.com/watch?v={ID}", "YouTube", TUBE),
        (f"https://m.youtube.com/watch?list=x&v={ID}&t=3s", "YouTube", TUBE),
        (f"http://youtu.be/{ID}?si=x", "YouTube", TUBE),
        (f"https://www.youtube.com/shorts/{ID}", "YouTube", TUBE),
        (f"https://www.youtube-nocookie.com/embed/{ID}?start=9", "YouTube", TUBE),
        ("https://vimeo.com/42", "Vimeo", "https://player.vimeo.com/video/42?dnt=1&autoplay=1"),
        (
            "https://player.vimeo.com/video/42?h=abcdef12",
            "Vimeo",
            "https://player.vimeo.com/video/42?dnt=1&autoplay=1&h=abcdef12",
        ),
        (
            "https://www.dailymotion.com/video/x8abcde_a-film",
            "Dailymotion",
            "https://geo.dailymotion.com/player.html?video=x8abcde",
        ),
        (
            "https://geo.dailymotion.com/player/x1.html?video=x8abcde",
            "Dailymotion",
            "https://geo.dailymotion.com/player.html?video=x8abcde",
        ),
        (
            "https://www.ted.com/talks/somebody_something?language=de",
            "TED",
            "https://embed.ted.com/talks/somebody_something",
        ),
        (f"https://tube.example.org/videos/watch/{UUID}", "PeerTube", PEER),
        (f"https://tube.example.org/w/{UUID}?start=1", "PeerTube", PEER),
        (
            "https://tube.example.org/w/vTJp2jHtSPAZTeAxKyRqDX",
            "PeerTube",
            "https://tube.example.org/videos/embed/vTJp2jHtSPAZTeAxKyRqDX",
        ),
    ],
)
def test_videos_are_recognised_by_their_addresses(url: str, site: str, shown: str):
    found = video_at(url)

    assert found is not None
    assert (found.site, found.player) == (site, shown)
    assert found.thumbnail.startswith("https://")
    assert video_at(found.player) == found, "its player is the same video"


@pytest.mark.threat("X3", "S15")
@pytest.mark.parametrize(
    "url",
    [
        f"https://www.youtube.com.evil.example/watch?v={ID}",
        f"https://evil.example/?https://www.youtube.com/watch?v={ID}",
        f"https://user@tube.example/w/{UUID}",
        f"https://127.0.0.1/videos/embed/{UUID}",
        f"https://[::1]/videos/embed/{UUID}",
        f"https://localhost/videos/embed/{UUID}",
        f"https://tube.example:8443/videos/embed/{UUID}",
        f"https://tube.example;script-src/videos/embed/{UUID}",
        f"https://tube.example/a/videos/embed/{UUID}",
        "https://tube.example/w/9c9de5e80a1e484ab099e8",
        f"javascript:https://youtu.be/{ID}",
        "https://www.youtube.com/embed/videoseries?list=x",
        "https://www.youtube.com/embed/live_stream?channel=x",
        "https://www.youtube.com/@channel",
        "https://vimeo.com/about",
        "https://www.ted.com/talks",
        "",
    ],
)
def test_other_addresses_are_no_videos(url: str):
    assert video_at(url) is None


def test_a_frame_becomes_a_card_with_its_title():
    card = carded(f'<iframe title="A film" src="https://www.youtube.com/embed/{ID}"></iframe>')

    assert card == video_card(
        Video("YouTube", f"https://www.youtube.com/watch?v={ID}", TUBE),
        player,
        title="A film",
        picture=f"https://i.ytimg.com/vi/{ID}/hqdefault.jpg",
    )
    assert f'data-video="/videos/of?{TUBE}"' in card
    assert 'aria-label="Play: A film"' in card


@pytest.mark.parametrize("name", ["YouTube video player", "", "https://youtu.be/x", "iframe"])
def test_a_title_that_says_nothing_is_not_shown(name: str):
    frame = f'<iframe title="{name}" src="https://www.youtube.com/embed/{ID}"></iframe>'

    assert ">Video on YouTube · <a" in carded(frame)


def test_a_card_says_how_long_a_video_plays():
    video = Video("YouTube", "https://www.youtube.com/watch?v=x", TUBE)

    assert "A film · 4:05 · <a" in video_card(video, player, title="A film", length="4:05 · ")


def test_a_link_in_a_sentence_stays_a_link():
    markup = clean_html(f'<p>See <a href="https://youtu.be/{ID}">this</a>.</p><p>/w/</p>')

    assert with_videos(markup, player, thumbnails=True) == markup


def test_a_linked_picture_is_the_picture_of_the_card():
    card = carded('<p><a href="https://vimeo.com/42"><img src="https://a.example/t.jpg"></a></p>')

    assert re.findall(r'<img [^>]*src="([^"]+)"', card) == ["https://a.example/t.jpg"]


def test_without_thumbnails_nobody_is_asked_for_a_picture():
    frame = f'<iframe src="https://www.youtube.com/embed/{ID}"></iframe>'

    assert "<img" in carded(frame)
    assert "<img" not in carded(frame, thumbnails=False)


def test_a_lonely_link_to_a_film_plays_it():
    card = carded('<p><a href="https://a.example/film.mp4?x=1">The film</a></p>')

    assert '<video controls="" preload="none" src="https://a.example/film.mp4?x=1">' in card
    assert ">The film</a></figcaption>" in card


@pytest.mark.threat("X4", "X6")
@pytest.mark.parametrize(
    "text",
    [
        '"><script>alert(1)</script>',
        "' onclick='alert(1)",
        "&quot; onclick=&quot;alert(1)",
        "&lt;img src=x onerror=alert(1)&gt;",
    ],
)
def test_no_title_breaks_out_of_a_card(text: str):
    link = clean_html(f'<p><a href="https://youtu.be/{ID}?x=%22%3E">{text}</a></p>')
    video = Video("YouTube", "https://a.example/x", TUBE)
    cards = (
        with_videos(link, player, thumbnails=True),
        video_card(video, player, title=text, picture=text, link=f"https://{text}"),
    )

    for card in cards:
        nodes = [n for n in body_of(card).traverse(include_text=False) if n.tag != "body"]
        assert {n.tag for n in nodes} == {"figure", "a", "img", "figcaption"}
        assert {name for n in nodes for name in n.attributes} <= OURS


def test_a_card_costs_time_in_proportion_to_its_length():
    flood = CleanHTML('<p><a href="https://youtu.be/x">' * 20_000 + "youtu.be")

    assert with_videos(flood, player, thumbnails=True) == flood
