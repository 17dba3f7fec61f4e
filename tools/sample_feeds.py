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

_LONG = """<p>I have taken this boat every April for nine years. The timetable has changed four
times, the captain twice, the coffee never. What changes is the coast: a little less of it
each spring, and a little more to say about what is left.</p>
<h2>What the maps leave out</h2>
<p>On paper the island is a comma. In the fog it is a sound, first a bell and then gulls, and
then the engine drops to a mutter and there is a wall with a ladder on it, which is the
island.</p>
<ul><li>Bring boots that may get wet.</li><li>Bring change for the honesty box.</li>
<li>Leave the drone at home; the terns do not like it.</li></ul>
<p>The path goes round in four hours if you do not stop, and nobody has ever not stopped. At
the far end somebody has built a bench out of driftwood, facing nothing in particular, and it
is the best seat I know.</p>"""

_NEWS = """<p>The decision was announced in the late afternoon and comes into force next month.
Those who had asked for it were pleased, those who had not were polite, and the office will
be open on Saturday for anybody with questions.</p>
<p>A longer account, with a map and a timetable, follows in the weekend edition.</p>"""

_ARABIC = (
    "<p>وصلنا إلى الجزيرة قبل شروق الشمس، وكان البحر هادئا كأنه صفحة لم تكتب بعد.</p>"
    "<p>في الطريق إلى المنارة تعلمت أن أمشي ببطء.</p>"
)


@dataclass(frozen=True, slots=True)
class Blog:
    """One invented publisher."""

    path: str
    title: str
    folder: str
    stories: tuple[tuple[str, str], ...]
    """Titles and first sentences, newest first."""
    rest: str = _NEWS
    author: str = ""
    every_h: float = 7.0
    first_h: float = 1.0
    audio: bool = False

    def entries(self, now: datetime, older: int = 0) -> list[FeedEntry]:
        """Write its articles, newest first, and so many from its archive."""
        archive = [
            (f"From the archive, no. {number}", "An older piece, still worth a look.")
            for number in range(older, 0, -1)
        ]
        stories = (*self.stories, *archive)
        return [self._entry(place, story, now) for place, story in enumerate(stories)]

    def _entry(self, place: int, story: tuple[str, str], now: datetime) -> FeedEntry:
        title, first = story
        hours = self.first_h + place * self.every_h
        link = f"https://{self.path.strip('/').removesuffix('.xml')}.example/{place}"
        audio = (f"{link}.mp3", "audio/mpeg", 31_400_000) if self.audio else None
        return FeedEntry(
            guid=link,
            title=title,
            link=link,
            published_at=now - timedelta(hours=hours),
            content=f"<p>{first}</p>{self.rest}",
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
            (
                "The first boat of the year",
                "The ferry leaves at six, when the harbour is still the colour of slate.",
            ),
            (
                "A bench facing nothing in particular",
                "Somebody built it out of driftwood, and nobody has ever said who.",
            ),
            (
                "How to read a chart that lies",
                (
                    "Every chart of this coast is right about the rocks and wrong about the"
                    " sand."
                ),
            ),
            (
                "Notes from a small harbour",
                "Eleven boats, nine of them in the water, one of them for sale.",
            ),
            (
                "Six kinds of rope, and when to trust them",
                "The short answer is: trust none of them with a knot you cannot name.",
            ),
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
            (
                "A scheduler in one function",
                "Last week I deleted four thousand lines and kept forty.",
            ),
            (
                "Leases, or how to lend work to strangers",
                (
                    "A lock says mine; a lease says mine until noon, and that is the whole"
                    " difference."
                ),
            ),
            (
                "The database was never the slow part",
                "We measured for a month before we believed it.",
            ),
            (
                "What we learned from killing our own workers",
                "For a year now a small script kills one process every ten seconds.",
            ),
            (
                "Deleting a cache and making things faster",
                (
                    "The cache was right nine times out of ten, which is the worst possible"
                    " number."
                ),
            ),
            (
                "Ten years of one small program",
                "It has had two authors, one rewrite and no meetings.",
            ),
            (
                "Clocks that go backwards",
                "Somewhere in the log it is always half past two, twice.",
            ),
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
            ("Rye, finally", "Three things went right today, and one was the rye."),
            (
                "The oven that runs cold",
                "Mine says 230 and means 205. Here is the proof.",
            ),
            ("Salt, by weight", "A spoon is not a measure, it is an opinion."),
            (
                "What to do with the heel of the loaf",
                "Nine uses, of which seven are soup.",
            ),
        ),
        "<p>Flour, water, salt, and the patience to leave it alone. Quantities are at the"
        " end, for whoever wants to repeat the accident on purpose.</p>",
        every_h=22.0,
        first_h=5.0,
    ),
    Blog(
        "/pocket-radio.xml",
        "Pocket Radio Hour",
        "Listening",
        (
            (
                "Episode 48: One screw left over",
                "We take a pocket radio apart on the kitchen table and put it back together.",
            ),
            (
                "Episode 47: Voices under the bridge",
                "A tunnel that repeats what you say, a little later and much more calmly.",
            ),
            (
                "Episode 46: The last weather ship",
                "Two months at sea for one number an hour.",
            ),
        ),
        "<p>Guest this time: nobody, we ran out of chairs.</p>",
        every_h=60.0,
        first_h=9.0,
        audio=True,
    ),
    Blog(
        "/field-desk.xml",
        "The Field Desk",
        "News",
        (
            (
                "Night trains return to the northern line",
                "From May there will be a sleeper again, three times a week.",
            ),
            (
                "Town council votes to keep its library open on Sundays",
                "The vote was closer than the queue at the door suggested.",
            ),
            (
                "Reservoirs reach their spring level three weeks early",
                "A wet winter has filled what two dry summers had emptied.",
            ),
            (
                "A bridge is closed, and a village finds out what it was for",
                "The detour takes forty minutes and leads past everybody's cousin.",
            ),
            (
                "Electric buses: the first winter in numbers",
                "They were late less often than the old ones, and warmer.",
            ),
            (
                "Harbour strike ends after eleven days",
                "Both sides call the result a beginning.",
            ),
            (
                "Old orchard varieties get a public register",
                "Four hundred apples now have a name that somebody can look up.",
            ),
            (
                "What the new noise limits mean for wind farms",
                "Less at night, the same by day, and a meter on every third tower.",
            ),
            (
                "Farmers and hikers agree on one gate",
                "It took two years, and it opens both ways.",
            ),
            (
                "Street by street: where the lime trees will go",
                "Six hundred saplings, and a map to find yours.",
            ),
        ),
        every_h=1.7,
        first_h=0.2,
    ),
    Blog(
        "/letterpress.xml",
        "Letterpress Weekly",
        "Slow reading",
        (
            ("The return of the long s", "It was never gone, it was only mistaken."),
            ("On margins", "A page is mostly edge, if it is any good."),
            (
                "A font with one weight is enough",
                "Emphasis is a matter of sentences, not of ink.",
            ),
        ),
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
            (
                "Why the average of averages is wrong",
                "Two classes, two exams, and one headmaster who is sure of his sums.",
            ),
            ("Counting with two hands", "Up to 1,023, if your fingers are willing."),
            (
                "A picture proof that needs no picture",
                "Close your eyes and fold a square in half.",
            ),
        ),
        _CODE,
        every_h=30.0,
        first_h=16.0,
    ),
    Blog(
        "/hadiqa.xml",
        "حديقة الكلمات",
        "Slow reading",
        (
            ("رسالة من ساحل هادئ", "كتبت هذه الرسالة على مقعد خشبي قديم."),
            ("كتاب واحد في الأسبوع", "القراءة البطيئة ليست كسلا."),
        ),
        _ARABIC,
        every_h=40.0,
        first_h=13.0,
    ),
)
