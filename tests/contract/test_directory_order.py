"""The shipped directory, searched: one order, written down, on both engines."""

import pytest

from feedloom.flow.discovery.directory import Directory
from feedloom.flow.worker.maintenance import Indexer
from feedloom.model.reader import DirectoryWanted
from feedloom.store import DirectoryStore, IndexStore
from tests.fakes import START, FixedClock
from tests.stores import Stores

FIRST_FOUR = {
    "python": [
        "Real Python",
        "Armin Ronacher's Thoughts and Writings",
        "Python Insider",
        "Python Podcast",
    ],
    "climate science": [
        "Science Vs",
        "Towards Data Science",
        "Ars Technica - Science",
        "Climate Home News",
    ],
    "guardian": [
        "The Guardian - World",
        "The Guardian - Environment",
        "The Guardian - Fashion",
        "The Guardian - UK",
    ],
    "football news": ["Soccer News", "CISA - News", "Global News", "Hacker News"],
    "ai research": [
        "Google Research Blog",
        "Berkeley AI Research (BAIR) Blog",
        "Apple Machine Learning Research",
        "Microsoft Research Blog",
    ],
    "bbc": [
        "BBC Afrique",
        "BBC News Swahili",
        "BBC News - World",
        "BBC News - Science & Environment",
    ],
    "économie": ["Le Figaro - Économie", "Les Echos - Économie"],
    "ECONOMIE": ["Le Figaro - Économie", "Les Echos - Économie"],
    "music -rock": [
        "NPR Music - New Music",
        "Pitchfork - News",
        "Rolling Stone - Music",
        "EDM.com",
    ],
    "theverge.com": ["The Vergecast", "The Verge - AI", "The Verge"],
    "nytimes.com": [
        "The New York Times - Food",
        "The New York Times - Technology",
        "The New York Times - World",
        "The New York Times - Top Stories",
    ],
    "kitchen recipes": ["Ambitious Kitchen", "smitten kitchen", "Epicurious", "The Kitchn"],
    "linux kernel": ["OMG! Ubuntu", "LinuxFr.org - Dépêches", "LWN.net", "Phoronix"],
    "space": [
        "ESA - Space News",
        "Moon Monday (Jatan Mehta)",
        "Latent Space",
        "Agence spatiale canadienne",
    ],
    "history of art": ["The History of the Web", "Ahead of AI", "Cult of Mac", "Cult of Pedagogy"],
    "der spiegel": [
        "DER SPIEGEL - Schlagzeilen",
        "DER SPIEGEL - Medizin",
        "der Freitag",
        "DER STANDARD - Wirtschaft",
    ],
    '"machine learning"': [
        "Apple Machine Learning Research",
        "arXiv - Machine Learning (cs.LG)",
        "Machine Learning Blog (CMU)",
        "Machine Learning Mastery",
    ],
    "github": ["GitHub Blog - Security", "Jay Alammar", "The GitHub Blog", "Lil'Log (Lilian Weng)"],
    "日本": [],
    "news world": [
        "BBC News - World",
        "World Health Organization - News",
        "DW News (English)",
        "HuffPost - World News",
    ],
    "nothingofthekind": [],
}

_HEALTH = """
UPDATE feeds SET is_canonical = length(title) % 7 <> 0,
  latest_item_published_at = CASE WHEN length(title) % 3 = 0 THEN CAST(:old AS BIGINT)
    ELSE CAST(:new AS BIGINT) END,
  state = CASE length(title) % 5 WHEN 0 THEN 'healthy' WHEN 1 THEN 'unchecked'
    WHEN 2 THEN 'degraded' WHEN 3 THEN 'unhealthy' ELSE 'paused' END
"""
DAY_US = 86_400_000_000


@pytest.fixture
async def directory(stores: Stores) -> Directory:
    made = Directory(DirectoryStore(stores.front), FixedClock())
    await made.seed(check=False)
    now = int(START.timestamp()) * 1_000_000
    await stores.execute(_HEALTH, old=now - 200 * DAY_US, new=now - DAY_US)
    await Indexer(IndexStore(stores.work)).catch_up()
    return made


async def test_the_same_questions_have_the_same_answers_on_both_engines(directory: Directory):
    found = {}
    for text in FIRST_FOUR:
        page = await directory.search(DirectoryWanted(text, limit=4))
        found[text] = [feed.title.replace("\N{EN DASH}", "-") for feed in page.feeds]

    assert found == FIRST_FOUR


async def test_more_matches_than_are_ranked_do_not_hide_the_best(
    stores: Stores, directory: Directory
):
    rows = await stores.rows("SELECT title FROM feeds")
    named = {row["title"] for row in rows if "News" in row["title"].split()}

    found = await directory.store.find(DirectoryWanted("news"))

    assert len(found) == 400
    assert len(named) > 80
    assert named <= {feed.title for feed in found}
