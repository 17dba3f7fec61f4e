"""Google Reader, as FreshRSS and Miniflux serve it.

Mounted at the root, under FreshRSS's address, and under that address twice: one client
adds it to what a person has typed in already.
"""

from feedloom.serve.routes import STRANGER_BODY, Access
from feedloom.serve.sync.greader import account, edits, lists, streams, subscriptions
from feedloom.serve.sync.greader.calls import ENDPOINTS, error_answer
from feedloom.serve.sync.routes import OPML_BODY, SyncRoute, routes_of

FRESHRSS = "/api/greader.php"
BASES = ("", FRESHRSS, FRESHRSS + FRESHRSS)
_API = "/reader/api/0"
_GET = ("GET",)
_POST = ("POST",)
_BOTH = ("GET", "POST")
_BY_TOKEN = 4 * STRANGER_BODY
"""Thousands of ids, from the one client whose token is in the body."""

_SIGN_IN = tuple(
    SyncRoute(_BOTH, path, account.sign_in, reads=True, body_limit=STRANGER_BODY)
    for path in ("/accounts/ClientLogin", f"{_API}/accounts/ClientLogin")
)
_PLAIN = (
    SyncRoute(_GET, "", account.greet),
    SyncRoute(_GET, "/", account.greet),
    SyncRoute(_GET, "/check/compatibility", account.compatibility),
)
_READS = (
    (_BOTH, "/token", account.token),
    (_GET, "/user-info", account.user_info),
    (_GET, "/preference/list", account.always({"prefs": []})),
    (_GET, "/preference/stream/list", account.always({"streamprefs": {}})),
    (_GET, "/friend/list", account.always({"friends": []})),
    (_GET, "/tag/list", lists.tags),
    (_GET, "/subscription/list", lists.subscriptions),
    (_GET, "/unread-count", lists.unread_count),
    (_GET, "/subscription/export", subscriptions.export),
    (_GET, "/subscribed", lists.is_subscribed),
    (_BOTH, "/stream/items/ids", streams.ids),
    (_GET, "/stream/items/count", streams.count),
    (_BOTH, "/stream/items/contents", streams.items_contents),
    (_GET, "/stream/contents", streams.contents),
    (_GET, "/stream/contents/{stream:path}", streams.contents),
)
_ATOM = (SyncRoute(_GET, "/atom/{stream:path}", ENDPOINTS.reading(streams.atom), reads=True),)
_WRITES = (
    (_POST, "/edit-tag", edits.edit_tag),
    (_POST, "/mark-all-as-read", edits.mark_all_as_read),
    (_POST, "/rename-tag", edits.rename_tag),
    (_POST, "/disable-tag", edits.disable_tag),
    (_POST, "/subscription/edit", subscriptions.edit),
    (_POST, "/subscription/quickadd", subscriptions.quick_add),
)
_IMPORT = ((_POST, "/subscription/import", subscriptions.import_list),)

ROUTES = (
    *routes_of(BASES, _SIGN_IN, access=Access.OWN, errors=account.sign_in_error),
    *routes_of(BASES[1:], _PLAIN, access=Access.ANYONE, errors=error_answer),
    *routes_of(
        [base + _API for base in BASES],
        (
            *ENDPOINTS.reads(_READS),
            *ENDPOINTS.writes(_WRITES, stranger_limit=_BY_TOKEN),
            *ENDPOINTS.writes(_IMPORT, body_limit=OPML_BODY),
            SyncRoute(_BOTH, "/{rest:path}", ENDPOINTS.reading(account.unknown), reads=True),
        ),
        access=Access.OWN,
        errors=error_answer,
    ),
    *routes_of([base + "/reader" for base in BASES], _ATOM, access=Access.OWN, errors=error_answer),
)
