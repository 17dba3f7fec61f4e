"""Books, papers, bookmarks, wikis and archives."""

from feedloom.discover.platforms.matcher import Provider, platform, rule

_WIKIS = (
    "wikipedia.org wiktionary.org wikinews.org wikiquote.org wikibooks.org "
    "wikivoyage.org wikisource.org wikiversity.org"
)
_HISTORY = "{origin}/w/index.php?title={title}&action=history&feed=atom"


def _preprints(name: str) -> Provider:
    feed = f"https://connect.{name}.org/{name}_xml.php?subject="
    return platform(
        name,
        rule(r"/collection/(?P<subject>[a-z]+)", (feed + "{subject}", "{subject}")),
        rule(
            r"/collection/(?P<one>[a-z]+)-(?:and-)?(?P<two>[a-z]+)",
            (feed + "{one}_{two}", "{one} {two}"),
            (feed + "{one}_and_{two}", "{one} and {two}"),
        ),
        rule("/(?:content/early/recent)?", (feed + "all", "All")),
        hosts=f"{name}.org www.{name}.org",
    )


PROVIDERS: tuple[Provider, ...] = (
    platform(
        "goodreads",
        rule(
            r"/user/show/(?P<id>\d+)(?:-[^/]*)?",
            ("https://www.goodreads.com/user/updates_rss/{id}", "Updates"),
            ("https://www.goodreads.com/review/list_rss/{id}", "Books"),
        ),
        rule(
            r"/review/list/(?P<id>\d+)(?:-[^/]*)?",
            ("https://www.goodreads.com/review/list_rss/{id}?shelf={shelf}", "{shelf}"),
            ("https://www.goodreads.com/review/list_rss/{id}", "Books"),
            query=("shelf",),
        ),
        rule(
            r"/review/list/(?P<id>\d+)(?:-[^/]*)?",
            ("https://www.goodreads.com/review/list_rss/{id}", "Books"),
        ),
        hosts="goodreads.com www.goodreads.com",
    ),
    platform(
        "pinboard",
        rule(
            r"/(?P<what>(?:u:[\w-]+|t:[^/]+)(?:/t:[^/]+)*|popular|recent)",
            ("https://feeds.pinboard.in/rss/{what}/", "{what}"),
        ),
        hosts="pinboard.in www.pinboard.in",
    ),
    platform(
        "bitchute",
        rule(
            r"/channel/(?P<name>[\w-]+)",
            ("https://www.bitchute.com/feeds/rss/channel/{name}/", "Videos"),
        ),
        hosts="bitchute.com www.bitchute.com old.bitchute.com",
    ),
    _preprints("biorxiv"),
    _preprints("medrxiv"),
    # A search has a feed of its own, which its page makes on demand and then names.
    platform(
        "pubmed",
        rule(
            "/.*",
            ("https://pubmed.ncbi.nlm.nih.gov/rss/search/{id}/?limit=15", "Search"),
            page=(r"/rss/search/(?P<id>[\w-]{8,100})/",),
        ),
        hosts="pubmed.ncbi.nlm.nih.gov",
    ),
    platform(
        "mailchimp",
        rule("/(?:home)?", ("{origin}/feed?u={u}&id={id}", "Newsletter"), query=("u", "id")),
        parents="campaign-archive.com campaign-archive1.com campaign-archive2.com",
    ),
    platform(
        "wikipedia",
        rule(r"/wiki/(?P<title>(?!Special:|Main_Page$)[^/].*)", (_HISTORY, "Changes of {title}")),
        rule(r"/w/index\.php", (_HISTORY, "Changes of {title}"), query=("title", "action")),
        parents=_WIKIS,
    ),
    platform(
        "f-droid",
        rule("(?:/[a-z]{2}(?:_[A-Z]{2})?)?(?:/news)?/?", ("https://f-droid.org/feed.xml", "News")),
        hosts="f-droid.org www.f-droid.org",
    ),
)
