"""Podcast hosts, and players that name the feed of somebody else's show.

Apple tells the feed of a show by its number: what comes back is no feed but data that
names it (``LOOKUP``), and is read as such.
"""

from feedloom.discover.platforms.matcher import Provider, platform, rule

LOOKUP = ("https://itunes.apple.com/lookup?id={id}&entity=podcast", "Podcast")

PROVIDERS: tuple[Provider, ...] = (
    platform(
        "apple podcasts",
        rule(
            r"(?:/[a-z]{2})?/podcast/(?:[^/]+/)?id\d+",
            ("{url}", "Podcast"),
            page=(r'\\?"feedUrl\\?":\\?"(?P<url>https?:[^"\s]{4,2000}?)\\?"',),
        ),
        rule(r"(?:/[a-z]{2})?/podcast/(?:[^/]+/)?id(?P<id>\d+)", LOOKUP),
        hosts="podcasts.apple.com itunes.apple.com",
    ),
    platform(
        "overcast",
        rule(r"/itunes(?P<id>\d+)(?:/.*)?", LOOKUP),
        rule(r"/\+[\w-]+(?:/.*)?", LOOKUP, page=(r'href="/itunes(?P<id>\d+)[/"]',)),
        hosts="overcast.fm www.overcast.fm",
    ),
    platform(
        "pocket casts",
        rule(r"/itunes/(?P<id>\d+)(?:/.*)?", LOOKUP),
        rule(
            r"/(?:podcasts?/)?[\w-]+(?:/.*)?",
            LOOKUP,
            page=(r'podcasts\.apple\.com/[^"\s]{0,300}?\bid(?P<id>\d+)',),
        ),
        hosts="pca.st pocketcasts.com www.pocketcasts.com",
    ),
    platform(
        "acast",
        rule(
            r"/(?:s/)?(?P<show>(?!s$)[\w-]+)(?:/.*)?",
            ("https://feeds.acast.com/public/shows/{show}", "Podcast"),
        ),
        hosts="shows.acast.com play.acast.com",
    ),
    platform(
        "podbean",
        rule("/.*", ("https://feed.podbean.com/{sub}/feed.xml", "Podcast")),
        parents="podbean.com",
        reserved="www feed help support mcdn",
    ),
    platform(
        "buzzsprout",
        rule(r"/(?P<id>\d+)(?:/.*)?", ("https://feeds.buzzsprout.com/{id}.rss", "Podcast")),
        hosts="buzzsprout.com www.buzzsprout.com",
    ),
    platform(
        "spreaker",
        rule(
            r"/(?:show/|(?:show|podcast)/[\w-]+?--)(?P<id>\d+)(?:/.*)?",
            ("https://www.spreaker.com/show/{id}/episodes/feed", "Podcast"),
        ),
        hosts="spreaker.com www.spreaker.com",
    ),
    platform(
        "libsyn",
        rule("/.*", ("{origin}/rss", "Podcast")),
        parents="libsyn.com",
        reserved="www feeds rss traffic html5-player support",
    ),
    platform("podigee", rule("/.*", ("{origin}/feed/mp3", "Podcast")), parents="podigee.io"),
    platform(
        "captivate",
        rule("/.*", ("https://feeds.captivate.fm/{sub}/", "Podcast")),
        parents="captivate.fm",
        reserved="www feeds player podcasts my help",
    ),
    platform(
        "transistor",
        rule("/.*", ("https://feeds.transistor.fm/{sub}", "Podcast")),
        parents="transistor.fm",
        reserved="www feeds share media support",
    ),
    platform(
        "rss.com",
        rule(
            r"/podcasts/(?P<show>[\w-]+)(?:/.*)?",
            ("https://media.rss.com/{show}/feed.xml", "Podcast"),
        ),
        hosts="rss.com www.rss.com",
    ),
)
