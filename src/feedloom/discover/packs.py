"""Packs: six topics of the shipped directory for people who have no feeds yet.

A pack is a list of addresses that the directory has; what it says of them is used.
"""

from dataclasses import dataclass
from functools import cache

from feedloom.discover.shipped_directory import read_directory
from feedloom.model.stages import DirectoryEntry


@dataclass(frozen=True, slots=True)
class Pack:
    key: str
    title: str
    description: str
    feeds: tuple[DirectoryEntry, ...]


_PACKS = (
    (
        "world",
        "World news",
        "World news from newsrooms on five continents.",
        """
        https://feeds.bbci.co.uk/news/world/rss.xml
        https://www.aljazeera.com/xml/rss/all.xml
        https://rss.dw.com/xml/rss-en-all
        https://www.theguardian.com/world/rss
        https://www.france24.com/en/rss
        https://restofworld.org/feed/latest/
        https://globalvoices.org/feed
        https://www.thenewhumanitarian.org/rss/all.xml
        """,
    ),
    (
        "technology",
        "Technology",
        "Devices, companies and what they do to us.",
        """
        https://feeds.arstechnica.com/arstechnica/index
        https://www.theverge.com/rss/index.xml
        https://www.technologyreview.com/feed/
        https://spectrum.ieee.org/feeds/feed.rss
        https://www.404media.co/rss/
        https://hackaday.com/blog/feed/
        https://lwn.net/headlines/rss
        https://www.techdirt.com/feed/
        """,
    ),
    (
        "science",
        "Science",
        "Research explained, from atoms to galaxies.",
        """
        https://www.quantamagazine.org/feed/
        https://www.nature.com/nature.rss
        https://www.sciencenews.org/feed
        https://phys.org/rss-feed/
        https://www.nasa.gov/feed
        https://nautil.us/feed/
        https://undark.org/feed/
        https://flowingdata.com/feed
        """,
    ),
    (
        "programming",
        "Programming",
        "People who write software, on how they write it.",
        """
        https://news.ycombinator.com/rss
        https://lobste.rs/rss
        https://jvns.ca/atom.xml
        https://martinfowler.com/feed.atom
        https://danluu.com/atom.xml
        https://blog.rust-lang.org/feed.xml
        https://realpython.com/atom.xml
        https://css-tricks.com/feed/
        """,
    ),
    (
        "culture",
        "Culture and ideas",
        "Books, film, music and long reads.",
        """
        https://aeon.co/feed.rss
        https://www.themarginalian.org/feed/
        https://lithub.com/feed/
        https://longreads.com/feed/
        https://feeds.kottke.org/main
        https://www.openculture.com/feed
        https://hyperallergic.com/feed
        https://pitchfork.com/feed/feed-news/rss
        """,
    ),
    (
        "food",
        "Food",
        "Recipes that work, and the stories behind them.",
        """
        https://smittenkitchen.com/feed/
        https://www.budgetbytes.com/feed/
        https://cookieandkate.com/feed
        https://thewoksoflife.com/feed/
        https://www.kingarthurbaking.com/blog/feed
        https://www.davidlebovitz.com/feed/
        https://www.bonappetit.com/feed/rss
        https://civileats.com/feed/
        """,
    ),
)


@cache
def read_packs() -> tuple[Pack, ...]:
    listed = {entry.feed_url: entry for entry in read_directory()}
    return tuple(
        Pack(key, title, description, tuple(listed[url] for url in urls.split()))
        for key, title, description, urls in _PACKS
    )
