"""Feeds of invented publishers, for screenshots and for trying things out.

In: the present time. Out: publishers with articles of the last days. All names, sites
and texts are made up here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.factories_feeds import FeedEntry

_CODE = """<p>The whole scheduler fits in one function, which is the nicest thing about it:</p>
<pre><code>def next_run(now, interval, floor):
    planned = now + max(interval, floor)
    return planned + jitter(interval / 10)
</code></pre>
<p>Everything else is a table with one row per feed. When the process dies, the row is
still there, and whoever wakes up next simply carries on. We measured a week of it:</p>
<table><thead><tr><th>Day</th><th>Polls</th><th>Not modified</th></tr></thead>
<tbody><tr><td>Monday</td><td>4,812</td><td>91 %</td></tr>
<tr><td>Tuesday</td><td>4,655</td><td>92 %</td></tr>
<tr><td>Sunday</td><td>3,120</td><td>96 %</td></tr></tbody></table>
<blockquote><p>A poll that changes nothing should cost nothing.</p></blockquote>
<p>That sentence hangs over my desk now. It is also the shortest specification I ever
wrote that survived a year.</p>"""

_LONG = """<p>The ferry leaves at six, when the harbour is still the colour of slate. There are
eleven of us on deck, two dogs, and a crate of seedlings that belongs to nobody who will
admit to it.</p>
<p>I have taken this boat every April for nine years. The timetable has changed four times,
the captain twice, the coffee never. What changes is the coast: a little less of it each
spring, and a little more to say about what is left.</p>
<h2>What the maps leave out</h2>
<p>On paper the island is a comma. In the fog it is a sound, first a bell and then gulls, and
then the engine drops to a mutter and there is a wall with a ladder on it, which is the
island.</p>
<ul><li>Bring boots that may get wet.</li><li>Bring change for the honesty box.</li>
<li>Leave the drone at home; the terns do not like it.</li></ul>
<p>The path goes round in four hours if you do not stop, and nobody has ever not stopped. At
the far end somebody has built a bench out of driftwood, facing nothing in particular, and it
is the best seat I know.</p>"""

_SHORT = (
    "<p>Three things went right today, and one of them was the bread. Notes and quantities"
    " below, for whoever wants to repeat the accident on purpose.</p><p>Flour, water, salt,"
    " and the patience to leave it alone.</p>"
)

_PODCAST = (
    "<p>In this episode we take a pocket radio apart on the kitchen table and put it back"
    " together with one screw left over. Guest: nobody, we ran out of chairs.</p>"
)


@dataclass(frozen=True, slots=True)
class Blog:
    """One invented publisher."""

    path: str
    title: str
    folder: str
    titles: tuple[str, ...]
    content: str = _SHORT
    author: str = ""
    every_h: float = 7.0
    first_h: float = 1.0
    audio: bool = False

    def entries(self, now: datetime) -> list[FeedEntry]:
        """Write its articles, newest first."""
        return [
            self._entry(place, title, now) for place, title in enumerate(self.titles)
        ]

    def _entry(self, place: int, title: str, now: datetime) -> FeedEntry:
        hours = self.first_h + place * self.every_h
        link = f"https://{self.path.strip('/').removesuffix('.xml')}.example/{place}"
        audio = (f"{link}.mp3", "audio/mpeg", 31_400_000) if self.audio else None
        return FeedEntry(
            guid=link,
            title=title,
            link=link,
            published_at=now - timedelta(hours=hours),
            content=self.content,
            author=self.author,
            categories=(self.folder.lower(),),
            enclosure=audio,
        )


BLOGS = (
    Blog(
        "/tidewrack.xml",
        "Tidewrack",
        "Slow reading",
        (
            "The first boat of the year",
            "A bench facing nothing in particular",
            "How to read a chart that lies",
            "Notes from a small harbour",
            "Six kinds of rope, and when to trust them",
        ),
        _LONG,
        "Maren Holt",
        19.0,
        2.0,
    ),
    Blog(
        "/quiet-machines.xml",
        "Quiet Machines",
        "Computing",
        (
            "A scheduler in one function",
            "Leases, or how to lend work to strangers",
            "The database was never the slow part",
            "What we learned from killing our own workers",
            "Deleting a cache and making things faster",
            "Ten years of one small program",
            "Clocks that go backwards",
        ),
        _CODE,
        "Ines Okafor",
        5.0,
        0.4,
    ),
    Blog(
        "/breadnotes.xml",
        "Bread Notes",
        "Home",
        (
            "Rye, finally",
            "The oven that runs cold",
            "Salt, by weight",
            "What to do with the heel of the loaf",
        ),
        every_h=22.0,
        first_h=5.0,
    ),
    Blog(
        "/pocket-radio.xml",
        "Pocket Radio Hour",
        "Listening",
        (
            "Episode 48: One screw left over",
            "Episode 47: Voices under the bridge",
            "Episode 46: The last weather ship",
        ),
        _PODCAST,
        every_h=60.0,
        first_h=9.0,
        audio=True,
    ),
    Blog(
        "/field-desk.xml",
        "The Field Desk",
        "News",
        (
            "Night trains return to the northern line",
            "Town council votes to keep its library open on Sundays",
            "Reservoirs reach their spring level three weeks early",
            "A bridge is closed, and a village finds out what it was for",
            "Electric buses: the first winter in numbers",
            "Harbour strike ends after eleven days",
            "Old orchard varieties get a public register",
            "What the new noise limits mean for wind farms",
            "Farmers and hikers agree on one gate",
            "Street by street: where the lime trees will go",
        ),
        every_h=1.7,
        first_h=0.2,
    ),
    Blog(
        "/letterpress.xml",
        "Letterpress Weekly",
        "Slow reading",
        ("The return of the long s", "On margins", "A font with one weight is enough"),
        _LONG,
        "J. Varga",
        48.0,
        11.0,
    ),
    Blog(
        "/mathroom.xml",
        "Mathroom",
        "Computing",
        (
            "Why the average of averages is wrong",
            "Counting with two hands",
            "A picture proof that needs no picture",
        ),
        _CODE,
        every_h=30.0,
        first_h=16.0,
    ),
    Blog(
        "/hadiqa.xml",
        "حديقة الكلمات",
        "Slow reading",
        ("رسالة من ساحل هادئ", "كتاب واحد في الأسبوع"),
        "<p>وصلنا إلى الجزيرة قبل شروق الشمس، وكان البحر هادئا كأنه صفحة لم تكتب بعد.</p>"
        "<p>في الطريق إلى المنارة تعلمت أن أمشي ببطء.</p>",
        every_h=40.0,
        first_h=13.0,
    ),
)
