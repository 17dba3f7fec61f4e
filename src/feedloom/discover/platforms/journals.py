"""More blog platforms, many of them at home in Japan, Korea and Russia."""

from feedloom.discover.platforms.matcher import Provider, name_but, platform, rule

_POSTS = "Posts"

PROVIDERS: tuple[Provider, ...] = (
    platform(
        "livejournal",
        rule("/.*", ("{origin}/data/rss", _POSTS), ("{origin}/data/atom", _POSTS)),
        parents="livejournal.com",
        reserved="users community",
    ),
    # Names that cannot be hosts have a folder.
    platform(
        "livejournal",
        rule(
            r"/(?P<user>[\w-]+)(?:/.*)?",
            ("{origin}/{user}/data/rss", _POSTS),
            ("{origin}/{user}/data/atom", _POSTS),
        ),
        hosts="users.livejournal.com community.livejournal.com",
    ),
    platform(
        "livejournal",
        rule(
            r"/(?:users|~)/?(?P<user>[\w-]+)(?:/.*)?",
            ("https://{user}.livejournal.com/data/rss", _POSTS),
        ),
        hosts="livejournal.com www.livejournal.com",
    ),
    platform(
        "typepad",
        rule(
            r"/(?P<blog>(?!\d{4}$)[\w-]+)(?:/.*)?",
            ("{origin}/{blog}/atom.xml", _POSTS),
            ("{origin}/{blog}/rss.xml", _POSTS),
        ),
        rule("/", ("{origin}/atom.xml", _POSTS), ("{origin}/rss.xml", _POSTS)),
        parents="typepad.com",
    ),
    platform(
        "shopify",
        rule(r"/blogs/(?P<blog>[\w-]+)(?:/.*)?", ("{origin}/blogs/{blog}.atom", _POSTS)),
        rule(r"/collections/(?P<name>[\w-]+)", ("{origin}/collections/{name}.atom", "Products")),
        rule(
            "/",
            ("{origin}/blogs/{blog}.atom", _POSTS),
            page=(r'href="(?:https?://[^"/]{1,255})?/blogs/(?P<blog>[\w-]+)["/?#]',),
        ),
        rule("/", ("{origin}/blogs/news.atom", "News")),
        marks=("cdn.shopify.com/", "shopify.theme"),
    ),
    # A Ghost may live in a folder; its own script names that folder.
    platform(
        "ghost in a folder",
        rule(
            "/.*",
            ("{home}/rss/", _POSTS),
            page=(r'data-ghost="(?P<home>https?://[^"/]{4,255}/[^"]{1,300}?)/?"',),
        ),
        marks=('data-ghost="http',),
    ),
    platform(
        "note.com",
        rule(
            r"/(?P<user>\w+)/m/(?P<magazine>\w+)",
            ("https://note.com/{user}/m/{magazine}/rss", "Magazine"),
        ),
        rule(
            "/"
            + name_but("search topic hashtag login notes ranking info", chars=r"\w+")
            + "(?:/.*)?",
            ("https://note.com/{name}/rss", _POSTS),
        ),
        hosts="note.com",
    ),
    platform(
        "hatena blog",
        rule("/.*", ("{origin}/feed", _POSTS), ("{origin}/rss", _POSTS)),
        parents=(
            "hatenablog.com hatenablog.jp hateblo.jp hatenadiary.com hatenadiary.jp hatenadiary.org"
        ),
    ),
    platform(
        "hatena bookmark",
        rule(
            r"/(?P<list>(?:hotentry|entrylist)(?:/\w+)?)",
            ("https://b.hatena.ne.jp/{list}.rss", "{list}"),
        ),
        rule(
            "/" + name_but("entry search site guide help", chars=r"[\w-]+") + "(?:/bookmark)?",
            ("https://b.hatena.ne.jp/{name}/bookmark.rss", "Bookmarks"),
        ),
        hosts="b.hatena.ne.jp",
    ),
    platform(
        "ameblo",
        rule(r"/(?P<user>[\w-]+)(?:/.*)?", ("https://rssblog.ameba.jp/{user}/rss20.xml", _POSTS)),
        hosts="ameblo.jp www.ameblo.jp",
    ),
    platform(
        "zenn",
        rule(r"/(?P<part>(?:topics|p)/[\w-]+)", ("https://zenn.dev/{part}/feed", "{part}")),
        rule(
            "/"
            + name_but("articles books scraps search topics p about login tech-or-idea")
            + "(?:/.*)?",
            ("https://zenn.dev/{name}/feed", _POSTS),
        ),
        rule("/", ("https://zenn.dev/feed", "Trending")),
        hosts="zenn.dev",
    ),
    platform(
        "qiita",
        rule(r"/tags/(?P<tag>[^/]+)", ("https://qiita.com/tags/{tag}/feed", "#{tag}")),
        rule(
            r"/organizations/(?P<name>[\w-]+)",
            ("https://qiita.com/organizations/{name}/activities.atom", "{name}"),
        ),
        rule(
            "/"
            + name_but(
                "about search login signup trend timeline items question-feed tags "
                "organizations popular-items official-events"
            )
            + "(?:/.*)?",
            ("https://qiita.com/{name}/feed", _POSTS),
        ),
        rule("/", ("https://qiita.com/popular-items/feed", "Popular")),
        hosts="qiita.com",
    ),
    platform(
        "velog",
        rule(r"/@(?P<user>[\w.-]+)(?:/.*)?", ("https://v2.velog.io/rss/@{user}", _POSTS)),
        hosts="velog.io www.velog.io",
    ),
    platform(
        "naver blog",
        rule(
            r"/Post(?:List|View)\.(?:naver|nhn)",
            ("https://rss.blog.naver.com/{blogId}.xml", _POSTS),
            query=("blogId",),
        ),
        rule(r"/(?P<id>\w+)(?:/\d+)?", ("https://rss.blog.naver.com/{id}.xml", _POSTS)),
        hosts="blog.naver.com m.blog.naver.com",
    ),
    platform("tistory", rule("/.*", ("{origin}/rss", _POSTS)), parents="tistory.com"),
    platform(
        "habr",
        rule(
            r"/(?P<lang>[a-z]{2})/(?P<part>(?:hubs?|compan(?:y|ies))/[\w-]+)(?:/.*)?",
            ("https://habr.com/{lang}/rss/{part}/articles/", "{part}"),
        ),
        rule(
            r"/(?P<lang>[a-z]{2})/users/(?P<user>[\w-]+)(?:/.*)?",
            ("https://habr.com/{lang}/rss/users/{user}/publications/articles/", "{user}"),
        ),
        rule(
            r"/(?P<lang>[a-z]{2})(?:/(?:articles|feed|all|best)(?:/.*)?)?",
            ("https://habr.com/{lang}/rss/articles/", "Articles"),
            ("https://habr.com/{lang}/rss/best/daily/", "Best of the day"),
        ),
        rule("/", ("https://habr.com/ru/rss/articles/", "Articles")),
        hosts="habr.com www.habr.com",
    ),
    platform(
        "write.as",
        rule(
            "/" + name_but("read about login new pricing apps", chars=r"[\w-]+") + "(?:/.*)?",
            ("https://write.as/{name}/feed/", _POSTS),
        ),
        hosts="write.as",
    ),
    platform("mataroa", rule("/.*", ("{origin}/rss/", _POSTS)), parents="mataroa.blog"),
    platform(
        "listed",
        rule(r"/@(?P<user>[\w-]+)(?:/.*)?", ("https://listed.to/@{user}/feed.rss", _POSTS)),
        hosts="listed.to www.listed.to",
    ),
)
