"""Reading: the river, the reader, and what people do to articles."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.reading import marks, reader, river

DOORS: tuple[Door, ...] = (*river.DOORS, *marks.DOORS, *reader.DOORS)
