"""Blog and newsletter platforms, by their hosts and by the marks of their software."""

from feedloom.discover.platforms.matcher import name_but, platform, rule

SUBSTACK = platform(
    "substack",
    rule("/.*", ("{origin}/feed", "Posts")),
    parents="substack.com",
    reserved="www open support on reader api",
    marks=("https://substackcdn.com/bundle/",),
)
SUBSTACK_PEOPLE = platform(
    "substack",
    rule(r"/pub/(?P<name>[a-z0-9-]+)(?:/.*)?", ("https://{name}.substack.com/feed", "Posts")),
    rule(
        r"/@[\w.-]+(?:/.*)?",
        ("https://{name}.substack.com/feed", "Posts"),
        page=(r'\\?"subdomain\\?":\\?"(?P<name>[a-z0-9-]+)\\?"',),
    ),
    hosts="substack.com www.substack.com open.substack.com",
)

_MEDIUM_PAGES = (
    "m me search plans membership about creators policy business new-story tag jobs "
    "help feed topics explore-topics"
)
MEDIUM = platform(
    "medium",
    rule(r"/(?P<user>@[\w.-]+)(?:/.*)?", ("https://medium.com/feed/{user}", "Stories")),
    rule(
        r"/(?:tag|topic)/(?P<tag>[\w-]+)(?:/.*)?", ("https://medium.com/feed/tag/{tag}", "#{tag}")
    ),
    rule(
        "/" + name_but(_MEDIUM_PAGES, chars=r"[\w-]+") + r"/tagged/(?P<tag>[\w-]+)",
        ("https://medium.com/feed/{name}/tagged/{tag}", "#{tag}"),
        ("https://medium.com/feed/{name}", "Stories"),
    ),
    rule(
        "/" + name_but(_MEDIUM_PAGES, chars=r"[\w-]+") + "(?:/.*)?",
        ("https://medium.com/feed/{name}", "Stories"),
    ),
    hosts="medium.com www.medium.com",
)
MEDIUM_BLOGS = platform(
    "medium",
    rule("/.*", ("{origin}/feed", "Stories")),
    parents="medium.com",
    reserved="www help policy cdn-images-1 miro api",
    generators="medium",
    marks=('property="al:ios:app_name" content="medium"',),
)

# A WordPress may live in a folder; its own API link names that folder.
_WORDPRESS_HOME = (
    r"""rel=["']?https://api\.w\.org/["']? href=["'](?P<home>https?://[^"'?]{1,300}?)/wp-json/""",
)
WORDPRESS = platform(
    "wordpress",
    rule("/.*", ("{home}/feed/", "Posts"), page=_WORDPRESS_HOME),
    rule("/.*", ("{origin}/feed/", "Posts")),
    parents="wordpress.com",
    reserved="www en public-api support learn apps",
    generators="wordpress",
    marks=("/wp-content/themes/", "/wp-content/plugins/", "https://api.w.org/"),
)

GHOST = platform(
    "ghost",
    rule(
        r"/(?P<kind>tag|author)/(?P<name>[\w-]+)",
        ("{origin}/{kind}/{name}/rss/", "{name}"),
        ("{origin}/rss/", "Posts"),
    ),
    rule("/.*", ("{origin}/rss/", "Posts")),
    parents="ghost.io",
    generators="ghost",
    marks=('data-ghost="http',),
)

_BLOGSPOT_SUFFIXES = (
    "com ae al am ba be bg bj ca cf ch cl co.at co.id co.il co.ke co.nz co.uk co.za "
    "com.ar com.au com.br com.by com.co com.cy com.ee com.eg com.es com.mt com.ng "
    "com.tr com.uy cv cz de dk fi fr gr hk hr hu ie in is it jp kr li lt lu md mk mr "
    "mx my nl no pe pt qa re ro rs ru se sg si sk sn td tw ug vn"
)
BLOGGER = platform(
    "blogger",
    rule(
        r"/search/label/(?P<label>[^/]+)",
        ("{origin}/feeds/posts/default/-/{label}", "{label}"),
        ("{origin}/feeds/posts/default", "Posts"),
    ),
    rule(
        "/.*",
        ("{origin}/feeds/posts/default", "Posts"),
        ("{origin}/feeds/posts/default?alt=rss", "Posts"),
    ),
    parents=" ".join(f"blogspot.{suffix}" for suffix in _BLOGSPOT_SUFFIXES.split()),
    generators="blogger",
)

_DEV_PAGES = "t tags search about new settings dashboard pod videos listings top latest"
DEV = platform(
    "dev.to",
    rule(r"/t/(?P<tag>\w+)(?:/.*)?", ("https://dev.to/feed/tag/{tag}", "#{tag}")),
    rule(
        "/" + name_but(_DEV_PAGES, chars=r"\w+") + "(?:/.*)?",
        ("https://dev.to/feed/{name}", "Posts"),
    ),
    rule("/", ("https://dev.to/feed", "Posts")),
    hosts="dev.to www.dev.to",
)

BUTTONDOWN = platform(
    "buttondown",
    rule(
        "/" + name_but("features pricing docs login register blog") + "(?:/.*)?",
        ("https://buttondown.com/{name}/rss", "Newsletter"),
    ),
    hosts="buttondown.com buttondown.email",
)

HASHNODE = platform(
    "hashnode",
    rule("/.*", ("{origin}/rss.xml", "Posts")),
    parents="hashnode.dev",
    generators="hashnode",
)

SMALL_BLOGS = platform(
    "small blogs",
    rule("/.*", ("{origin}/feed/", "Posts"), ("{origin}/feed.xml", "Posts")),
    parents="bearblog.dev writeas.com micro.blog",
)

PROVIDERS = (
    SUBSTACK,
    SUBSTACK_PEOPLE,
    MEDIUM,
    MEDIUM_BLOGS,
    WORDPRESS,
    GHOST,
    BLOGGER,
    DEV,
    BUTTONDOWN,
    HASHNODE,
    SMALL_BLOGS,
)
