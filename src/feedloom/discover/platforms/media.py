"""Music, games, papers and projects."""

from feedloom.discover.platforms.matcher import name_but, platform, rule

SOUNDCLOUD = platform(
    "soundcloud",
    rule(
        "/" + name_but("discover stream you search upload charts pages terms-of-use") + "(?:/.*)?",
        ("https://feeds.soundcloud.com/users/soundcloud:users:{id}/sounds.rss", "Sounds"),
        page=(r"soundcloud://users:(?P<id>\d+)", r'"user_id":(?P<id>\d+)'),
    ),
    hosts="soundcloud.com www.soundcloud.com m.soundcloud.com",
)

_ARXIV_LIST = (
    ("https://rss.arxiv.org/rss/{subject}", "{subject}"),
    ("https://rss.arxiv.org/atom/{subject}", "{subject}"),
)
ARXIV = platform(
    "arxiv",
    rule(r"/(?:list|archive)/(?P<subject>[a-z-]+(?:\.[A-Za-z-]+)?)(?:/.*)?", *_ARXIV_LIST),
    # A paper names its subject, whose feed brings its successors.
    rule(
        r"/(?:abs|pdf|html)/.+",
        *_ARXIV_LIST,
        page=(r"primary-subject[^<>]{0,20}>[^<>]{0,200}\((?P<subject>[a-z-]+(?:\.[A-Za-z-]+)?)\)",),
    ),
    rule(r"/a/(?P<author>\w+)(?:\.html)?", ("https://arxiv.org/a/{author}.atom2", "Papers")),
    hosts="arxiv.org www.arxiv.org export.arxiv.org",
)

ITCH = platform(
    "itch.io",
    rule(
        r"/(?P<list>(?:games|tools|game-assets|comics|books|soundtracks)(?:/.+)?)",
        ("https://itch.io/{list}.xml", "{list}"),
    ),
    rule(
        "/",
        ("https://itch.io/feed/featured.xml", "Featured games"),
        ("https://itch.io/feed/new.xml", "New games"),
    ),
    hosts="itch.io www.itch.io",
)
ITCH_GAMES = platform(
    "itch.io",
    rule(
        r"/(?P<game>[\w-]+)(?:/devlog(?:/.*)?)?", ("{origin}/{game}/devlog.rss", "Development log")
    ),
    parents="itch.io",
    reserved="www static img api",
)

STEAM = platform(
    "steam",
    rule(
        r"/(?:agecheck/)?(?:news/)?app/(?P<id>\d+)(?:/.*)?",
        ("https://store.steampowered.com/feeds/news/app/{id}/", "News"),
    ),
    rule(
        r"/groups/(?P<group>[\w-]+)(?:/.*)?",
        ("https://steamcommunity.com/groups/{group}/rss/", "Announcements"),
    ),
    hosts="store.steampowered.com steamcommunity.com",
)

KICKSTARTER = platform(
    "kickstarter",
    rule(
        r"/projects/(?P<project>[\w-]+/[\w-]+)(?:/.*)?",
        ("https://www.kickstarter.com/projects/{project}/posts.atom", "Updates"),
    ),
    hosts="kickstarter.com www.kickstarter.com",
)

PROVIDERS = (SOUNDCLOUD, ARXIV, ITCH, ITCH_GAMES, STEAM, KICKSTARTER)
