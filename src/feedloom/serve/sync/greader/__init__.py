"""Google Reader, as FreshRSS and Miniflux serve it.

Mounted at the root, under FreshRSS's address, and under that address twice: one client
adds it to what a person has typed in already.
"""

from feedloom.serve.routes import STRANGER_BODY, Access
from feedloom.serve.sync.calls import OPML_BODY, SyncRoute, routes_of
from feedloom.serve.sync.feeds import export
from feedloom.serve.sync.greader import calls, edits, streams, subscriptions
from feedloom.serve.sync.greader.calls import ENDPOINTS, error_answer

_FRESHRSS = "/api/greader.php"
_BASES = ("", _FRESHRSS, _FRESHRSS + _FRESHRSS)
_API = "/reader/api/0"
_BY_TOKEN = 4 * STRANGER_BODY
"""Thousands of ids, from the one client whose token is in the body."""

_SIGN_IN = tuple(
    SyncRoute(("GET", "POST"), path, calls.sign_in, reads=True, body_limit=STRANGER_BODY)
    for path in ("/accounts/ClientLogin", f"{_API}/accounts/ClientLogin")
)
_PLAIN = (
    SyncRoute(("GET",), "", calls.greet),
    SyncRoute(("GET",), "/", calls.greet),
    SyncRoute(("GET",), "/check/compatibility", calls.compatibility),
)
_READS = {
    "GET|POST /token": calls.token,
    "GET /user-info": calls.user_info,
    "GET /preference/list": calls.always({"prefs": []}),
    "GET /preference/stream/list": calls.always({"streamprefs": {}}),
    "GET /friend/list": calls.always({"friends": []}),
    "GET /tag/list": subscriptions.list_tags,
    "GET /subscription/list": subscriptions.list_subscriptions,
    "GET /unread-count": subscriptions.unread_count,
    "GET /subscription/export": export,
    "GET /subscribed": subscriptions.is_subscribed,
    "GET|POST /stream/items/ids": streams.ids,
    "GET /stream/items/count": streams.count,
    "GET|POST /stream/items/contents": streams.items_contents,
    "GET /stream/contents": streams.contents,
    "GET /stream/contents/{stream:path}": streams.contents,
    "GET|POST /{rest:path}": calls.unknown,
}
_WRITES = {
    "POST /edit-tag": edits.edit_tag,
    "POST /mark-all-as-read": edits.mark_all_as_read,
    "POST /rename-tag": edits.rename_tag,
    "POST /disable-tag": edits.disable_tag,
    "POST /subscription/edit": subscriptions.edit,
    "POST /subscription/quickadd": subscriptions.quick_add,
}
_ROUTES = (
    *ENDPOINTS.reads(_READS),
    *ENDPOINTS.writes(_WRITES, stranger_limit=_BY_TOKEN),
    *ENDPOINTS.writes(
        {"POST /subscription/import": subscriptions.import_list}, body_limit=OPML_BODY
    ),
)
_ATOM = ENDPOINTS.reads({"GET /atom/{stream:path}": streams.atom})

ROUTES = (
    *routes_of(_BASES, _SIGN_IN, access=Access.OWN, errors=calls.sign_in_error),
    *routes_of(_BASES[1:], _PLAIN, access=Access.ANYONE, errors=error_answer),
    *routes_of([b + _API for b in _BASES], _ROUTES, access=Access.OWN, errors=error_answer),
    *routes_of([b + "/reader" for b in _BASES], _ATOM, access=Access.OWN, errors=error_answer),
)
