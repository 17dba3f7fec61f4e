"""Imports of bookmarks stop where one person has very many."""

from typing import cast

import pytest

from feedloom.flow.reader.bookmarks import MOST_KEPT, BookmarkFiles
from feedloom.model.bookmarks import WantedBookmarks
from feedloom.model.errors import InvalidInput
from feedloom.store import BookmarkStore

FILE = b"".join(b'<DT><A HREF="https://a.example/%d">t</A>\n' % n for n in range(3))


class Full:
    """A store with room for two."""

    async def count(self, _user_id: int, _wanted: WantedBookmarks) -> int:
        return MOST_KEPT - 2


@pytest.mark.threat("W9")
async def test_nobody_imports_bookmarks_without_end():
    files = BookmarkFiles(cast("BookmarkStore", Full()))

    with pytest.raises(InvalidInput, match="up to 200,000"):
        await files.bring(1, FILE)
