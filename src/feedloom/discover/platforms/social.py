"""People on social networks: the fediverse, Bluesky, Tumblr, pictures and lists."""

from feedloom.discover.platforms.matcher import name_but, platform, rule

_USER = r"@(?P<user>\w[\w.-]*)"

# Any server of the fediverse says so in its pages by naming the account's ActivityPub
# document.
FEDIVERSE = platform(
    "fediverse",
    rule(rf"/(?:web/)?{_USER}(?:/(?:with_replies|media|\d+))?", ("{origin}/@{user}.rss", "Posts")),
    rule(
        r"/users/(?P<user>\w[\w.-]*)",
        ("{origin}/users/{user}.rss", "Posts"),
        ("{origin}/users/{user}/feed.atom", "Posts"),
    ),
    rule(r"/tags/(?P<tag>\w+)", ("{origin}/tags/{tag}.rss", "#{tag}")),
    generators="mastodon misskey gotosocial pleroma akkoma",
    marks=("application/activity+json",),
)

# Where the various servers keep an account's feed, for when only a handle is known.
ACCOUNTS = platform(
    "fediverse account",
    rule(
        r"/(?:(?:web/)?@|users/)(?P<user>\w[\w.-]*)",
        ("{origin}/@{user}.rss", "Posts"),
        ("{origin}/users/{user}/feed.atom", "Posts"),
        ("{origin}/@{user}/feed.rss", "Posts"),
        ("{origin}/users/{user}.atom", "Posts"),
    ),
    generators="account",
)

BLUESKY = platform(
    "bluesky",
    rule(r"/profile/(?P<who>[\w.:-]+)(?:/.*)?", ("https://bsky.app/profile/{who}/rss", "Posts")),
    hosts="bsky.app www.bsky.app",
)

_TUMBLR_PAGES = "dashboard explore search login register tagged about policy docs"
TUMBLR = platform(
    "tumblr",
    rule(
        "/(?:blog/(?:view/)?)?"
        + name_but(f"{_TUMBLR_PAGES} blog", chars="[a-z0-9-]+")
        + r"(?:/\d+.*)?",
        ("https://{name}.tumblr.com/rss", "Posts"),
    ),
    hosts="www.tumblr.com tumblr.com",
)

TUMBLR_BLOGS = platform(
    "tumblr",
    rule(
        r"/tagged/(?P<tag>[^/]+)",
        ("{origin}/tagged/{tag}/rss", "#{tag}"),
        ("{origin}/rss", "Posts"),
    ),
    rule("/.*", ("{origin}/rss", "Posts")),
    parents="tumblr.com",
    reserved="www assets api 64 help static",
)

_FLICKR = "https://www.flickr.com/services/feeds/"
FLICKR = platform(
    "flickr",
    rule(
        r"/photos/tags/(?P<tag>[^/]+)(?:/.*)?",
        (_FLICKR + "photos_public.gne?tags={tag}&format=atom", "#{tag}"),
    ),
    rule(
        r"/(?:photos|people)/(?P<id>\d+@N\d+)(?:/.*)?",
        (_FLICKR + "photos_public.gne?id={id}&format=atom", "Photos"),
    ),
    rule(
        r"/(?:photos|people)/[\w-]+(?:/.*)?",
        (_FLICKR + "photos_public.gne?id={id}&format=atom", "Photos"),
        page=(r'"nsid":"(?P<id>\d+@N\d+)"', r'"ownerNsid":"(?P<id>\d+@N\d+)"'),
    ),
    rule(
        r"/groups/[\w@-]+(?:/.*)?",
        (_FLICKR + "groups_pool.gne?id={id}&format=atom", "Group pool"),
        page=(r'"(?:groupNsid|group_nsid|nsid)":"(?P<id>\d+@N\d+)"',),
    ),
    hosts="flickr.com www.flickr.com",
)

_GALLERY = "https://backend.deviantart.com/rss.xml?type=deviation&q="
_DEVIANTART_PAGES = "tag search about join users topic popular newest shop team watch"
DEVIANTART = platform(
    "deviantart",
    rule(
        "/" + name_but(_DEVIANTART_PAGES, chars=r"[\w-]+") + "(?:/.*)?",
        (_GALLERY + "by%3A{name}+sort%3Atime+meta%3Aall", "Gallery"),
    ),
    rule(r"/tag/(?P<tag>\w+)", (_GALLERY + "tag%3A{tag}", "#{tag}")),
    hosts="deviantart.com www.deviantart.com",
)

DEVIANTS = platform(
    "deviantart",
    rule("/.*", (_GALLERY + "by%3A{sub}+sort%3Atime+meta%3Aall", "Gallery")),
    parents="deviantart.com",
    reserved="www backend about help sta forum",
)

_PINNER = name_but("pin ideas search explore today settings", group="user", chars=r"\w+")
PINTEREST = platform(
    "pinterest",
    rule(
        f"/{_PINNER}" + r"/(?!_)(?P<board>[\w-]+)",
        ("https://www.pinterest.com/{user}/{board}.rss", "Board"),
        ("https://www.pinterest.com/{user}/feed.rss", "All pins"),
    ),
    rule(f"/{_PINNER}(?:/_.*)?", ("https://www.pinterest.com/{user}/feed.rss", "All pins")),
    hosts="pinterest.com www.pinterest.com",
)

_LETTERBOXD_PAGES = (
    "film films lists members journal search about pro crew settings actor director "
    "reviews activity list"
)
LETTERBOXD = platform(
    "letterboxd",
    rule(
        "/" + name_but(_LETTERBOXD_PAGES, group="user", chars=r"\w+") + "(?:/.*)?",
        ("https://letterboxd.com/{user}/rss/", "Diary"),
    ),
    hosts="letterboxd.com www.letterboxd.com",
)

PROVIDERS = (
    BLUESKY,
    TUMBLR,
    TUMBLR_BLOGS,
    FLICKR,
    DEVIANTART,
    DEVIANTS,
    PINTEREST,
    LETTERBOXD,
    FEDIVERSE,
)
