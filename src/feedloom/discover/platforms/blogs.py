"""Blog and newsletter platforms, by their hosts and by the marks of their software."""

from feedloom.discover.platforms.matcher import Provider, name_but, rule

SUBSTACK = Provider(
    name="substack",
    parents=("substack.com",),
    reserved=frozenset({"www", "open", "support", "on", "reader", "api"}),
    marks=("https://substackcdn.com/bundle/",),
    rules=(rule("/.*", ("{origin}/feed", "Posts")),),
)
SUBSTACK_PEOPLE = Provider(
    name="substack",
    hosts=frozenset({"substack.com", "www.substack.com", "open.substack.com"}),
    rules=(
        rule(r"/pub/(?P<name>[a-z0-9-]+)(?:/.*)?", ("https://{name}.substack.com/feed", "Posts")),
        rule(
            r"/@[\w.-]+(?:/.*)?",
            ("https://{name}.substack.com/feed", "Posts"),
            page=(r'\\?"subdomain\\?":\\?"(?P<name>[a-z0-9-]+)\\?"',),
        ),
    ),
)

_MEDIUM_PAGES = (
    "m me search plans membership about creators policy business new-story tag jobs "
    "help feed topics explore-topics"
)
MEDIUM = Provider(
    name="medium",
    hosts=frozenset({"medium.com", "www.medium.com"}),
    rules=(
        rule(r"/(?P<user>@[\w.-]+)(?:/.*)?", ("https://medium.com/feed/{user}", "Stories")),
        rule(
            r"/(?:tag|topic)/(?P<tag>[\w-]+)(?:/.*)?",
            ("https://medium.com/feed/tag/{tag}", "#{tag}"),
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
    ),
)
MEDIUM_BLOGS = Provider(
    name="medium",
    parents=("medium.com",),
    reserved=frozenset({"www", "help", "policy", "cdn-images-1", "miro", "api"}),
    generators=frozenset({"medium"}),
    marks=('property="al:ios:app_name" content="medium"',),
    rules=(rule("/.*", ("{origin}/feed", "Stories")),),
)

# A WordPress may live in a folder; its own API link names that folder.
_WORDPRESS_HOME = (
    r"""rel=["']?https://api\.w\.org/["']? href=["'](?P<home>https?://[^"'?]{1,300}?)/wp-json/""",
)
WORDPRESS = Provider(
    name="wordpress",
    parents=("wordpress.com",),
    reserved=frozenset({"www", "en", "public-api", "support", "learn", "apps"}),
    generators=frozenset({"wordpress"}),
    marks=("/wp-content/themes/", "/wp-content/plugins/", "https://api.w.org/"),
    rules=(
        rule("/.*", ("{home}/feed/", "Posts"), page=_WORDPRESS_HOME),
        rule("/.*", ("{origin}/feed/", "Posts")),
    ),
)

GHOST = Provider(
    name="ghost",
    parents=("ghost.io",),
    generators=frozenset({"ghost"}),
    marks=('data-ghost="http',),
    rules=(
        rule(
            r"/(?P<kind>tag|author)/(?P<name>[\w-]+)",
            ("{origin}/{kind}/{name}/rss/", "{name}"),
            ("{origin}/rss/", "Posts"),
        ),
        rule("/.*", ("{origin}/rss/", "Posts")),
    ),
)

_BLOGSPOT_SUFFIXES = (
    "com ae al am ba be bg bj ca cf ch cl co.at co.id co.il co.ke co.nz co.uk co.za "
    "com.ar com.au com.br com.by com.co com.cy com.ee com.eg com.es com.mt com.ng "
    "com.tr com.uy cv cz de dk fi fr gr hk hr hu ie in is it jp kr li lt lu md mk mr "
    "mx my nl no pe pt qa re ro rs ru se sg si sk sn td tw ug vn"
)
BLOGGER = Provider(
    name="blogger",
    parents=tuple(f"blogspot.{suffix}" for suffix in _BLOGSPOT_SUFFIXES.split()),
    generators=frozenset({"blogger"}),
    rules=(
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
    ),
)

_DEV_PAGES = "t tags search about new settings dashboard pod videos listings top latest"
DEV = Provider(
    name="dev.to",
    hosts=frozenset({"dev.to", "www.dev.to"}),
    rules=(
        rule(r"/t/(?P<tag>\w+)(?:/.*)?", ("https://dev.to/feed/tag/{tag}", "#{tag}")),
        rule(
            "/" + name_but(_DEV_PAGES, chars=r"\w+") + "(?:/.*)?",
            ("https://dev.to/feed/{name}", "Posts"),
        ),
        rule("/", ("https://dev.to/feed", "Posts")),
    ),
)

BUTTONDOWN = Provider(
    name="buttondown",
    hosts=frozenset({"buttondown.com", "buttondown.email"}),
    rules=(
        rule(
            "/" + name_but("features pricing docs login register blog") + "(?:/.*)?",
            ("https://buttondown.com/{name}/rss", "Newsletter"),
        ),
    ),
)

HASHNODE = Provider(
    name="hashnode",
    parents=("hashnode.dev",),
    generators=frozenset({"hashnode"}),
    rules=(rule("/.*", ("{origin}/rss.xml", "Posts")),),
)

SMALL_BLOGS = Provider(
    name="small blogs",
    parents=("bearblog.dev", "writeas.com", "micro.blog"),
    rules=(rule("/.*", ("{origin}/feed/", "Posts"), ("{origin}/feed.xml", "Posts")),),
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
