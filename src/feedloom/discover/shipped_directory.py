"""The shipped directory of feeds: package data in, ``DirectoryEntry`` values out.

``directory.json`` holds one row per line: title, feed address, site address, topic,
language, country, format, tags. It holds facts about publishers and never any fetch
state: each installation learns the health of these feeds itself.
"""

from functools import cache
from importlib import resources

import msgspec

from feedloom.model.stages import DirectoryEntry

TOPICS = (
    "ai",
    "autos",
    "business",
    "culture",
    "design",
    "education",
    "environment",
    "food",
    "fun",
    "gaming",
    "government",
    "health",
    "lifestyle",
    "news",
    "photography",
    "podcasts",
    "politics",
    "programming",
    "science",
    "security",
    "sports",
    "technology",
    "travel",
    "world",
)
"""The closed vocabulary of topics."""

_Row = tuple[str, str, str, str, str, str | None, str | None, tuple[str, ...]]


@cache
def read_directory() -> tuple[DirectoryEntry, ...]:
    data = resources.files(__package__).joinpath("directory.json").read_bytes()
    rows = msgspec.json.decode(data, type=list[_Row])
    return tuple(
        DirectoryEntry(
            title=title,
            feed_url=feed_url,
            site_url=site_url,
            topic=topic,
            language=language,
            country=country,
            format=format_,
            tags=tags,
        )
        for title, feed_url, site_url, topic, language, country, format_, tags in rows
    )
