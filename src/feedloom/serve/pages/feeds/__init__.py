"""Feeds as people manage them: dashboard, list, forms, a feed's own page.

Several addresses have a JSON form too. ``HTML`` names what answers when HTML is asked
for, and how errors are told there; the doors themselves stand where both forms meet.
"""

from feedloom.serve.doors import Access, Door
from feedloom.serve.pages.feeds import about, catalogue, changing, dashboard

_ADD = changing.answers(
    "Failed to add feed. Please try again.", "#feed-add-form-errors"
)
_EDIT = changing.answers("Failed to update feed", "#feed-edit-form-errors-{id}")
_DELETE = changing.answers("Failed to delete feed", "#feed-item-{id}-errors")

HTML = (
    Door(
        "/feeds",
        changing.list_feeds,
        ("GET",),
        Access.PERSON,
        errors=changing.answers("Failed to load feeds", ""),
    ),
    Door("/feeds", changing.add_feed, ("POST",), Access.PERSON, errors=_ADD),
    Door("/feeds/{id}", about.about, ("GET",), Access.PERSON),
    Door("/feeds/{id}", changing.edit_feed, ("PATCH",), Access.PERSON, errors=_EDIT),
    Door(
        "/feeds/{id}", changing.delete_feed, ("DELETE",), Access.PERSON, errors=_DELETE
    ),
    Door("/feeds/{id}/refresh", changing.refresh_feed, ("POST",), Access.PERSON),
)
"""Doors whose address also answers in JSON."""

DOORS: tuple[Door, ...] = (
    *dashboard.DOORS,
    *catalogue.DOORS,
    Door(
        "/feeds/refresh",
        changing.refresh_all,
        ("POST",),
        Access.PERSON,
        per_minute=12,
    ),
    Door(
        "/feeds/{id}/edit",
        changing.edit_form,
        ("GET",),
        Access.PERSON,
        errors=changing.answers("Failed to load feed", ""),
    ),
    Door("/feeds/{id}/edit", changing.edit_feed, ("POST",), Access.PERSON),
    Door("/feeds/{id}/delete", changing.delete_feed, ("POST",), Access.PERSON),
)
