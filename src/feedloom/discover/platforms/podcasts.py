"""Podcast hosts, and players that name the feed of somebody else's show.

Apple tells the feed of a show by its number: what comes back is no feed but data that
names it (``LOOKUP``), and is read as such.
"""

from feedloom.discover.platforms.matcher import Provider, by_host, by_name, rule

LOOKUP = ("https://itunes.apple.com/lookup?id={id}&entity=podcast", "Podcast")

PROVIDERS: tuple[Provider, ...] = (
    by_host(
        "apple podcasts",
        "podcasts.apple.com itunes.apple.com",
        rule(
            r"(?:/[a-z]{2})?/podcast/(?:[^/]+/)?id\d+",
            ("{url}", "Podcast"),
            page=(r'\\?"feedUrl\\?":\\?"(?P<url>https?:[^"\s]{4,2000}?)\\?"',),
        ),
        rule(r"(?:/[a-z]{2})?/podcast/(?:[^/]+/)?id(?P<id>\d+)", LOOKUP),
    ),
    by_host(
        "overcast",
        "overcast.fm www.overcast.fm",
        rule(r"/itunes(?P<id>\d+)(?:/.*)?", LOOKUP),
        rule(r"/\+[\w-]+(?:/.*)?", LOOKUP, page=(r'href="/itunes(?P<id>\d+)[/"]',)),
    ),
    by_host(
        "pocket casts",
        "pca.st pocketcasts.com www.pocketcasts.com",
        rule(r"/itunes/(?P<id>\d+)(?:/.*)?", LOOKUP),
        rule(
            r"/(?:podcasts?/)?[\w-]+(?:/.*)?",
            LOOKUP,
            page=(r'podcasts\.apple\.com/[^"\s]{0,300}?\bid(?P<id>\d+)',),
        ),
    ),
    by_host(
        "acast",
        "shows.acast.com play.acast.com",
        rule(
            r"/(?:s/)?(?P<show>(?!s$)[\w-]+)(?:/.*)?",
            ("https://feeds.acast.com/public/shows/{show}", "Podcast"),
        ),
    ),
    by_name(
        "podbean",
        "podbean.com",
        rule("/.*", ("https://feed.podbean.com/{sub}/feed.xml", "Podcast")),
        reserved="www feed help support mcdn",
    ),
    by_host(
        "buzzsprout",
        "buzzsprout.com www.buzzsprout.com",
        rule(r"/(?P<id>\d+)(?:/.*)?", ("https://feeds.buzzsprout.com/{id}.rss", "Podcast")),
    ),
    by_host(
        "spreaker",
        "spreaker.com www.spreaker.com",
        rule(
            r"/(?:show/|(?:show|podcast)/[\w-]+?--)(?P<id>\d+)(?:/.*)?",
            ("https://www.spreaker.com/show/{id}/episodes/feed", "Podcast"),
        ),
    ),
    by_name(
        "libsyn",
        "libsyn.com",
        rule("/.*", ("{origin}/rss", "Podcast")),
        reserved="www feeds rss traffic html5-player support",
    ),
    by_name("podigee", "podigee.io", rule("/.*", ("{origin}/feed/mp3", "Podcast"))),
    by_name(
        "captivate",
        "captivate.fm",
        rule("/.*", ("https://feeds.captivate.fm/{sub}/", "Podcast")),
        reserved="www feeds player podcasts my help",
    ),
    by_name(
        "transistor",
        "transistor.fm",
        rule("/.*", ("https://feeds.transistor.fm/{sub}", "Podcast")),
        reserved="www feeds share media support",
    ),
    by_host(
        "rss.com",
        "rss.com www.rss.com",
        rule(
            r"/podcasts/(?P<show>[\w-]+)(?:/.*)?",
            ("https://media.rss.com/{show}/feed.xml", "Podcast"),
        ),
    ),
)
