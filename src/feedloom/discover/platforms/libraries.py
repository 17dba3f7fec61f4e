"""Books, papers, bookmarks, wikis and archives."""

from feedloom.discover.platforms.matcher import Provider, by_host, by_name, rule

_WIKIS = (
    "wikipedia.org wiktionary.org wikinews.org wikiquote.org wikibooks.org "
    "wikivoyage.org wikisource.org wikiversity.org"
)
_HISTORY = "{origin}/w/index.php?title={title}&action=history&feed=atom"

PROVIDERS: tuple[Provider, ...] = (
    by_host(
        "goodreads",
        "goodreads.com www.goodreads.com",
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
    ),
    by_host(
        "pinboard",
        "pinboard.in www.pinboard.in",
        rule(
            r"/(?P<what>(?:u:[\w-]+|t:[^/]+)(?:/t:[^/]+)*|popular|recent)",
            ("https://feeds.pinboard.in/rss/{what}/", "{what}"),
        ),
    ),
    by_host(
        "bitchute",
        "bitchute.com www.bitchute.com old.bitchute.com",
        rule(
            r"/channel/(?P<name>[\w-]+)",
            ("https://www.bitchute.com/feeds/rss/channel/{name}/", "Videos"),
        ),
    ),
    by_host(
        "biorxiv",
        "biorxiv.org www.biorxiv.org",
        rule(
            r"/collection/(?P<subject>[a-z]+)",
            ("https://connect.biorxiv.org/biorxiv_xml.php?subject={subject}", "{subject}"),
        ),
        rule(
            r"/collection/(?P<one>[a-z]+)-(?:and-)?(?P<two>[a-z]+)",
            ("https://connect.biorxiv.org/biorxiv_xml.php?subject={one}_{two}", "{one} {two}"),
            (
                "https://connect.biorxiv.org/biorxiv_xml.php?subject={one}_and_{two}",
                "{one} and {two}",
            ),
        ),
        rule(
            "/(?:content/early/recent)?",
            ("https://connect.biorxiv.org/biorxiv_xml.php?subject=all", "All"),
        ),
    ),
    by_host(
        "medrxiv",
        "medrxiv.org www.medrxiv.org",
        rule(
            r"/collection/(?P<subject>[a-z]+)",
            ("https://connect.medrxiv.org/medrxiv_xml.php?subject={subject}", "{subject}"),
        ),
        rule(
            r"/collection/(?P<one>[a-z]+)-(?:and-)?(?P<two>[a-z]+)",
            ("https://connect.medrxiv.org/medrxiv_xml.php?subject={one}_{two}", "{one} {two}"),
            (
                "https://connect.medrxiv.org/medrxiv_xml.php?subject={one}_and_{two}",
                "{one} and {two}",
            ),
        ),
        rule(
            "/(?:content/early/recent)?",
            ("https://connect.medrxiv.org/medrxiv_xml.php?subject=all", "All"),
        ),
    ),
    # A search has a feed of its own, which its page makes on demand and then names.
    by_host(
        "pubmed",
        "pubmed.ncbi.nlm.nih.gov",
        rule(
            "/.*",
            ("https://pubmed.ncbi.nlm.nih.gov/rss/search/{id}/?limit=15", "Search"),
            page=(r"/rss/search/(?P<id>[\w-]{8,100})/",),
        ),
    ),
    by_name(
        "mailchimp",
        "campaign-archive.com campaign-archive1.com campaign-archive2.com",
        rule("/(?:home)?", ("{origin}/feed?u={u}&id={id}", "Newsletter"), query=("u", "id")),
    ),
    by_name(
        "wikipedia",
        _WIKIS,
        rule(r"/wiki/(?P<title>(?!Special:)[^/].*)", (_HISTORY, "Changes of {title}")),
        rule(r"/w/index\.php", (_HISTORY, "Changes of {title}"), query=("title", "action")),
    ),
    by_host(
        "f-droid",
        "f-droid.org www.f-droid.org",
        rule("(?:/[a-z]{2}(?:_[A-Z]{2})?)?(?:/news)?/?", ("https://f-droid.org/feed.xml", "News")),
    ),
)
