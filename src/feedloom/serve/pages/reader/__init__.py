"""Reading: the river, the reader, bookmarks, and what people do to articles."""

from feedloom.serve.pages.reader import (
    add_feed,
    articles,
    bookmarks,
    marks,
    reader,
    river,
    searches,
    stories,
)

ROUTES = (
    *river.ROUTES,
    *add_feed.ROUTES,
    *articles.ROUTES,
    *bookmarks.ROUTES,
    *marks.ROUTES,
    *searches.ROUTES,
    *stories.ROUTES,
    *reader.ROUTES,
)
