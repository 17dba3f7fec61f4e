"""Music, games, papers and projects."""

from feedloom.discover.platforms.matcher import Provider, name_but, rule

SOUNDCLOUD = Provider(
    name="soundcloud",
    hosts=frozenset({"soundcloud.com", "www.soundcloud.com", "m.soundcloud.com"}),
    rules=(
        rule(
            "/"
            + name_but("discover stream you search upload charts pages terms-of-use")
            + "(?:/.*)?",
            ("https://feeds.soundcloud.com/users/soundcloud:users:{id}/sounds.rss", "Sounds"),
            page=(r"soundcloud://users:(?P<id>\d+)", r'"user_id":(?P<id>\d+)'),
        ),
    ),
)

_ARXIV_LIST = (
    ("https://rss.arxiv.org/rss/{subject}", "{subject}"),
    ("https://rss.arxiv.org/atom/{subject}", "{subject}"),
)
ARXIV = Provider(
    name="arxiv",
    hosts=frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"}),
    rules=(
        rule(r"/(?:list|archive)/(?P<subject>[a-z-]+(?:\.[A-Za-z-]+)?)(?:/.*)?", *_ARXIV_LIST),
        # A paper names its subject, whose feed brings its successors.
        rule(
            r"/(?:abs|pdf|html)/.+",
            *_ARXIV_LIST,
            page=(
                r"primary-subject[^<>]{0,20}>[^<>]{0,200}\((?P<subject>[a-z-]+(?:\.[A-Za-z-]+)?)\)",
            ),
        ),
        rule(r"/a/(?P<author>\w+)(?:\.html)?", ("https://arxiv.org/a/{author}.atom2", "Papers")),
    ),
)

ITCH = Provider(
    name="itch.io",
    hosts=frozenset({"itch.io", "www.itch.io"}),
    rules=(
        rule(
            r"/(?P<list>(?:games|tools|game-assets|comics|books|soundtracks)(?:/.+)?)",
            ("https://itch.io/{list}.xml", "{list}"),
        ),
        rule(
            "/",
            ("https://itch.io/feed/featured.xml", "Featured games"),
            ("https://itch.io/feed/new.xml", "New games"),
        ),
    ),
)
ITCH_GAMES = Provider(
    name="itch.io",
    parents=("itch.io",),
    reserved=frozenset({"www", "static", "img", "api"}),
    rules=(
        rule(
            r"/(?P<game>[\w-]+)(?:/devlog(?:/.*)?)?",
            ("{origin}/{game}/devlog.rss", "Development log"),
        ),
    ),
)

STEAM = Provider(
    name="steam",
    hosts=frozenset({"store.steampowered.com", "steamcommunity.com"}),
    rules=(
        rule(
            r"/(?:agecheck/)?(?:news/)?app/(?P<id>\d+)(?:/.*)?",
            ("https://store.steampowered.com/feeds/news/app/{id}/", "News"),
        ),
        rule(
            r"/groups/(?P<group>[\w-]+)(?:/.*)?",
            ("https://steamcommunity.com/groups/{group}/rss/", "Announcements"),
        ),
    ),
)

KICKSTARTER = Provider(
    name="kickstarter",
    hosts=frozenset({"kickstarter.com", "www.kickstarter.com"}),
    rules=(
        rule(
            r"/projects/(?P<project>[\w-]+/[\w-]+)(?:/.*)?",
            ("https://www.kickstarter.com/projects/{project}/posts.atom", "Updates"),
        ),
    ),
)

PROVIDERS = (SOUNDCLOUD, ARXIV, ITCH, ITCH_GAMES, STEAM, KICKSTARTER)
