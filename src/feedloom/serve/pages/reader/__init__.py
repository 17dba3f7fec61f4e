"""Reading: the river, the reader, bookmarks, and what people do to articles."""

from feedloom.serve.pages.reader import (
    add_feed,
    bookmark_files,
    bookmarks,
    full_text,
    marks,
    reader,
    river,
)
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (
    *river.ROUTES,
    *add_feed.ROUTES,
    *bookmark_files.ROUTES,
    *bookmarks.ROUTES,
    *marks.ROUTES,
    *full_text.ROUTES,
    *reader.ROUTES,
)
