"""Reading: the river, the reader, bookmarks, and what people do to articles."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.reading import (
    adding,
    bookmark_files,
    full_text,
    keeping,
    marks,
    reader,
    river,
)

DOORS: tuple[Door, ...] = (
    *river.DOORS,
    *adding.DOORS,
    *bookmark_files.DOORS,
    *keeping.DOORS,
    *marks.DOORS,
    *full_text.DOORS,
    *reader.DOORS,
)
