"""The shipped directory of feeds, and packs of it for people who have no feeds yet.

``directory.json`` holds one row per line: title, feed address, site address, topic, language,
country, format, tags. It holds facts about publishers and never any fetch state: each
installation learns the health of these feeds itself. ``packs.toml`` lists feeds of it.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

import msgspec

from feedloom.model.stages import DirectoryEntry

_TOPICS = """
    ai autos business culture design education environment food fun gaming government health
    lifestyle news photography podcasts politics programming science security sports technology
    travel world
"""
TOPICS = tuple(_TOPICS.split())
"""The closed vocabulary of topics."""

_Row = tuple[str, str, str, str, str, str | None, str | None, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Pack:
    key: str
    title: str
    description: str
    feeds: tuple[DirectoryEntry, ...]


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


@cache
def read_packs() -> tuple[Pack, ...]:
    listed = {entry.feed_url: entry for entry in read_directory()}
    rows = tomllib.loads(resources.files(__package__).joinpath("packs.toml").read_text("utf-8"))
    return tuple(
        Pack(**row | {"feeds": tuple(listed[url] for url in row["feeds"])}) for row in rows["pack"]
    )
