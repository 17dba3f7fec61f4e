"""Reading: the river, the reader, bookmarks, and what people do to articles."""

from feedloom.serve.pages.reader import (
    add_feed,
    bookmark_files,
    bookmarks,
    changes,
    full_text,
    marks,
    offline,
    player,
    reader,
    river,
    searches,
    stories,
)
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (
    *river.ROUTES,
    *add_feed.ROUTES,
    *bookmark_files.ROUTES,
    *bookmarks.ROUTES,
    *marks.ROUTES,
    *player.ROUTES,
    *offline.ROUTES,
    *full_text.ROUTES,
    *searches.ROUTES,
    *changes.ROUTES,
    *stories.ROUTES,
    *reader.ROUTES,
)
