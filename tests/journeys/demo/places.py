"""Every page that a person meets, with the ids of a demonstration's account."""

from tests.journeys.demo.demonstration import Demo
from tests.serving import Visitor

OPEN = (
    "/",
    "/auth/login",
    "/auth/register",
    "/privacy",
    "/offline",
    "/nowhere",
    "/docs/",
    "/docs/operator/guide.html",
)
OWN = (
    "/ui/?view=feeds",
    "/ui/?view=feeds&item={story}",
    "/ui/?view=bookmarks",
    "/ui/?view=inbox",
    "/ui/?view=archive",
    "/read/unread",
    "/read/all?item={article}",
    "/read/starred",
    "/stories",
    "/stories/{told}",
    "/read/feed/{feed}",
    "/read/tag/to%20print?show=all",
    "/articles/{article}",
    "/articles/{changed}/changes",
    "/search?q=harbour",
    "/search?q=zzz",
    "/dashboard",
    "/feeds",
    "/feeds/{feed}",
    "/feeds/{healed}",
    "/feeds/{gone}",
    "/feeds/{feed}/edit",
    "/directory",
    "/digest",
    "/digest/{digest}",
    "/bookmarks/{bookmark}",
    "/bookmarks/add?url=https%3A%2F%2Fa.example%2F&title=A%20page",
    "/bookmarks/tools",
    "/settings",
    "/settings/feeds",
    "/settings/rules",
    "/settings/sharing",
    "/settings/security",
    "/auth/password",
    "/admin",
    "/admin/people",
    "/admin/feeds",
    "/admin/topics",
    "/admin/events",
    "/admin/proxies",
    "/admin/proxies/{proxy}",
    "/admin/spending",
    "/api/docs",
)


async def find_ids(demo: Demo) -> tuple[Visitor, dict[str, str]]:
    """Sign in; return the visitor, and the ids that paths need."""
    ada = await demo.sign_in()
    feeds = {f["title"]: f["id"] for f in (await ada.get("/feeds")).json()}
    reply = await ada.get("/api/articles?limit=200")
    articles = {a["title"]: a["id"] for a in reply.json()["articles"]}
    bookmarks = (await ada.get("/api/bookmarks")).json()["bookmarks"]
    stories = (await ada.get("/api/stories")).json()
    digests = (await ada.get("/api/summaries")).json()["summaries"]
    found = {
        "feed": feeds["Quiet Machines"],
        "healed": feeds["The Wandering Almanac"],
        "gone": feeds["An Old Favourite"],
        "article": articles["The first boat of the year"],
        "changed": articles[
            "Disaster looms as bus lane plan could destroy the high street forever"
        ],
        "story": articles["Night trains return to the northern line"],
        "bookmark": bookmarks[0]["id"],
        "digest": digests[0]["id"],
        "told": stories[0]["id"],
        # Feeds are numbered by subscription; here these are the only ones there are.
        "proxy": feeds["The Daily Alarm"],
    }
    return ada, {name: str(id_) for name, id_ in found.items()}
