"""How tests look at a parsed feed: by field name, and in a form that compares."""

from feedloom.markup import to_text
from feedloom.model.feed import ParsedEntry, ParsedFeed


def value_of(parsed: ParsedFeed, field: str) -> object:
    """Return a field of the first entry, or of the feed as ``feed.title``."""
    if field == "count":
        return len(parsed.entries)
    if field == "listed":
        return len(parsed.listed_guids)
    if field == "chapters":
        [file] = parsed.entries[0].enclosures
        return file.chapters_url, tuple((each.start_s, each.title) for each in file.chapters)
    if field == "durations":
        return tuple(each.duration_s for each in parsed.entries[0].enclosures)
    found: object = parsed if field.startswith("feed.") else parsed.entries[0]
    for name in field.removeprefix("feed.").split("."):
        found = getattr(found, name)
    if field == "enclosures":
        attached = parsed.entries[0].enclosures
        return tuple((each.url, each.mime, each.length) for each in attached)
    return found


def differences(ours: ParsedFeed, theirs: ParsedFeed) -> set[str]:
    """Name the fields in which two readings of one document disagree."""
    found = {
        name
        for name, one, other in (
            ("feed.title", ours.title, theirs.title),
            ("feed.site_url", ours.site_url, theirs.site_url),
            ("feed.language", ours.language, theirs.language),
            ("count", ours.listed_guids, theirs.listed_guids),
        )
        if one != other
    }
    if "count" not in found:
        for one_entry, other_entry in zip(ours.entries, theirs.entries, strict=True):
            one_side, other_side = _comparable(one_entry), _comparable(other_entry)
            found |= {name for name in one_side if one_side[name] != other_side[name]}
    return found


def _comparable(entry: ParsedEntry) -> dict[str, object]:
    """Reduce an entry to what both readers can agree on.

    Content by its text, because markup is cleaned later; dates by the one that counts;
    categories without regard to case and order.
    """
    return {
        "guid": entry.guid,
        "url": entry.url,
        "title": entry.title,
        "author": entry.author,
        "content": to_text(entry.content_html).split(),
        "date": entry.published_at or entry.updated_at,
        "enclosures": [enclosure.url for enclosure in entry.enclosures],
        "categories": {category.casefold() for category in entry.categories},
    }
