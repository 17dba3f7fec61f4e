"""Google Reader, as FreshRSS and Miniflux serve it.

Mounted at the root, under FreshRSS's address, and under that address twice: one client
adds it to what a person has typed in already.
"""

from feedloom.serve.routes import STRANGER_BODY, Access, Route
from feedloom.serve.sync.calls import OPML_BODY, always, routes_of
from feedloom.serve.sync.feeds import export, import_body
from feedloom.serve.sync.greader import calls, streams, subscriptions
from feedloom.serve.sync.greader.calls import ENDPOINTS, error_answer

_FRESHRSS = "/api/greader.php"
_BASES = ("", _FRESHRSS, _FRESHRSS + _FRESHRSS)
_API = "/reader/api/0"
_BY_TOKEN = 4 * STRANGER_BODY
"""Thousands of ids, from the one client whose token is in the body."""

_SIGN_IN = [
    Route(path, calls.sign_in, ("GET", "POST"), Access.OWN, reads=True, body_limit=STRANGER_BODY)
    for path in ("/accounts/ClientLogin", f"{_API}/accounts/ClientLogin")
]
_PLAIN = (
    Route("", calls.greet, ("GET",), Access.ANYONE),
    Route("/", calls.greet, ("GET",), Access.ANYONE),
    Route("/check/compatibility", calls.compatibility, ("GET",), Access.ANYONE),
)
_READS = {
    "GET|POST /token": calls.token,
    "GET /user-info": calls.user_info,
    "GET /preference/list": always({"prefs": []}),
    "GET /preference/stream/list": always({"streamprefs": {}}),
    "GET /friend/list": always({"friends": []}),
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
    "POST /edit-tag": subscriptions.edit_tag,
    "POST /mark-all-as-read": subscriptions.mark_all_as_read,
    "POST /rename-tag": subscriptions.rename_tag,
    "POST /disable-tag": subscriptions.disable_tag,
    "POST /subscription/edit": subscriptions.edit,
    "POST /subscription/quickadd": subscriptions.quick_add,
}
_IMPORT = {"POST /subscription/import": import_body}
_ROUTES = (
    *ENDPOINTS.routes(_READS, writes=False),
    *ENDPOINTS.routes(_WRITES, writes=True, stranger_limit=_BY_TOKEN),
    *ENDPOINTS.routes(_IMPORT, writes=True, body_limit=OPML_BODY),
)
_ATOM = ENDPOINTS.routes({"GET /atom/{stream:path}": streams.atom}, writes=False)

ROUTES = (
    *routes_of(_BASES, _SIGN_IN, calls.sign_in_error),
    *routes_of(_BASES[1:], _PLAIN, error_answer),
    *routes_of([base + _API for base in _BASES], _ROUTES, error_answer),
    *routes_of([base + "/reader" for base in _BASES], _ATOM, error_answer),
)
