"""Reading: the river, the reader, bookmarks, and what people do to articles."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.reading import adding, keeping, marks, reader, river

DOORS: tuple[Door, ...] = (
    *river.DOORS,
    *adding.DOORS,
    *keeping.DOORS,
    *marks.DOORS,
    *reader.DOORS,
)
