"""Feeds as people manage them: dashboard, list, forms, a feed's own page.

Several addresses have a JSON form too. ``HTML`` names what answers when HTML is asked
for, and how errors are told there; the routes themselves stand where both forms meet.
"""

from feedloom.serve.pages.feeds import about, actions, dashboard, directory, statistics
from feedloom.serve.routes import Access, Route

_ADD = actions.answers("Failed to add feed. Please try again.", "#feed-add-form-errors")
_EDIT = actions.answers("Failed to update feed", "#feed-edit-form-errors-{id}")
_DELETE = actions.answers("Failed to delete feed", "#feed-item-{id}-errors")

HTML = (
    Route(
        "/feeds",
        actions.list_feeds,
        ("GET",),
        Access.PERSON,
        errors=actions.answers("Failed to load feeds", ""),
    ),
    Route("/feeds", actions.add_feed, ("POST",), Access.PERSON, errors=_ADD),
    Route("/feeds/{id}", about.about, ("GET",), Access.PERSON),
    Route("/feeds/{id}", actions.edit_feed, ("PATCH",), Access.PERSON, errors=_EDIT),
    Route("/feeds/{id}", actions.delete_feed, ("DELETE",), Access.PERSON, errors=_DELETE),
    Route("/feeds/{id}/refresh", actions.refresh_feed, ("POST",), Access.PERSON),
)
"""Routes whose address also answers in JSON."""

ROUTES: tuple[Route, ...] = (
    *dashboard.ROUTES,
    *directory.ROUTES,
    *statistics.ROUTES,
    Route("/feeds/refresh", actions.refresh_all, ("POST",), Access.PERSON, per_minute=12),
    Route("/feeds/selected", actions.change_selected, ("POST",), Access.PERSON),
    Route(
        "/feeds/{id}/edit",
        actions.edit_form,
        ("GET",),
        Access.PERSON,
        errors=actions.answers("Failed to load feed", ""),
    ),
    Route("/feeds/{id}/edit", actions.edit_feed, ("POST",), Access.PERSON),
    Route("/feeds/{id}/delete", actions.delete_feed, ("POST",), Access.PERSON),
)
