"""The invented publishers of ``feedloom.demo`` as feeds that tests can place anywhere.

In: the present time. Out: publishers with articles of the last days.
"""

from dataclasses import dataclass
from datetime import datetime

from feedloom import demo
from tests.factories_feeds import FeedEntry

_AUDIO_BYTES = 31_400_000
_ROSTER = 8
"""The first of them; the others are about moving and dying."""


@dataclass(frozen=True, slots=True)
class Blog:
    """One invented publisher, with addresses that lead nowhere."""

    _blog: demo.Blog

    @property
    def path(self) -> str:
        """Where its feed is placed."""
        return f"/{self._blog.slug}.xml"

    @property
    def title(self) -> str:
        """Its name."""
        return self._blog.title

    @property
    def folder(self) -> str:
        """Where a reader keeps it."""
        return self._blog.folder

    def entries(self, now: datetime) -> list[FeedEntry]:
        """Write its articles, newest first."""
        pieces = self._blog.pieces(opened_at=now, now=now)
        return [self._entry(place, piece) for place, piece in enumerate(pieces)]

    def _entry(self, place: int, piece: demo.Piece) -> FeedEntry:
        link = f"https://{self._blog.slug}.example/{place}"
        audio = (f"{link}.mp3", "audio/mpeg", _AUDIO_BYTES) if piece.audio else None
        return FeedEntry(
            guid=link,
            title=piece.title,
            link=link,
            published_at=piece.published_at,
            content=piece.html,
            author=self._blog.author,
            categories=(self.folder.lower(),),
            enclosure=audio,
        )


BLOGS = tuple(Blog(one) for one in demo.BLOGS[:_ROSTER])
