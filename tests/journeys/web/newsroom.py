"""Four papers that report the same vote, and somebody who reads them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.factories_feeds import FeedEntry, entry
from tests.journeys.web.people import Person
from tests.publisher import Publisher

QUOTE = "They are stealing our trees"


@dataclass(frozen=True, slots=True)
class Paper:
    name: str
    vote: str
    text: str
    other: tuple[str, ...]


PAPERS = (
    Paper(
        "Harbour Gazette",
        "Harbour council votes 14 to 9 to close three parks",
        "The council voted on Tuesday to close three parks by the harbour. Mayor Ada Lind said"
        " the city saves 2.4 million a year.",
        (
            "Library opens late on Thursdays",
            "Bridge repairs end in May",
            "Council publishes its budget",
            "Tram line to the hospital opens",
        ),
    ),
    Paper(
        "Daily Alarm",
        "Furious residents blast reckless council plan to close three harbour parks",
        f"Residents are furious. \u201c{QUOTE},\u201d said Bo Karlsson of the Green Circle."
        " They say that 600 people marched.",
        (
            "SHOCKING: What your toaster does to bread!",
            "Outrage over insane tram fares",
            "You won't believe what the mayor had for lunch",
            "Chaos as reckless cyclists terrorise the market",
        ),
    ),
    Paper(
        "The Post",
        "Three harbour parks to close after council vote",
        "Three parks close. The city saves 2.4 million a year.",
        (
            "Rain expected on Sunday",
            "Chess club wins final",
            "Harvest begins a week early",
            "Old cinema sold",
        ),
    ),
    Paper(
        "Green Letter",
        "Council closes three harbour parks",
        "The vote was close. The parks have 310 old lindens.",
        (
            "How to prune a pear tree",
            "Seed swap in the old mill",
            "Bees on the roof of the town hall",
            "What to sow in March",
        ),
    ),
)
COPIED = "Ferry timetable changes on Monday"


def entries(paper: Paper, number: int) -> list[FeedEntry]:
    """Make a paper's feed; its vote, some plain news, and a report that all have."""
    now = datetime.now(UTC)  # noqa: TID251 - what readers see as fresh
    site = f"https://{paper.name.replace(' ', '-').lower()}.example"
    told = [(paper.vote, paper.text), *((title, "Nothing more is known.") for title in paper.other)]
    found = [
        entry(
            place,
            title=title,
            link=f"{site}/{place}",
            content=f"<p>{text}</p>",
            published_at=now - timedelta(days=9 * (place - 1), minutes=50 * number + 10),
        )
        for place, (title, text) in enumerate(told, 1)
    ]
    copied = entry(
        9,
        title=COPIED,
        link="https://agency.example/ferry?utm_source=x",
        content="<p>Ferries leave at ten past.</p>",
        published_at=now - timedelta(minutes=200 + number),
    )
    return [*found, copied]


async def subscribe(
    person: Person, publisher: Publisher, papers: tuple[Paper, ...] = PAPERS
) -> list[int]:
    """Let somebody read papers, and tell the stories in them; return the feeds' ids."""
    feeds = []
    for number, paper in enumerate(papers):
        url = publisher.feed(
            f"/{paper.name.replace(' ', '')}.xml",
            title=paper.name,
            entries=entries(paper, number),
            host=person.host_of(20 + number),
        )
        feeds.append((await person.subscribe(url)).id)
    await person.server.refresh_all()
    await person.server.call(lambda container: container.story_teller().tell_once())
    return feeds
