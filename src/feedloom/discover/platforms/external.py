"""Sites without feeds of their own: routes of an RSSHub server that makes them.

The server is a value of the installation and may be absent. What it answers is
validated like any other candidate, and scores lowest.
"""

from feedloom.discover.platforms.matcher import Provider, by_host, name_but, rule

_X_PAGES = (
    "home explore search i settings notifications messages login signup intent share "
    "hashtag tos privacy compose"
)
_INSTAGRAM_PAGES = "p reel reels explore accounts stories about developer direct tv"
_FACEBOOK_PAGES = (
    "groups events watch marketplace login sharer share help profile.php pages hashtag "
    "people photo stories gaming reel permalink.php story.php"
)

ROUTES = (
    Provider(
        name="x",
        hosts=frozenset(
            {"x.com", "www.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"}
        ),
        rules=(
            rule(
                "/" + name_but(_X_PAGES, chars=r"\w{1,15}") + "(?:/.*)?",
                ("{hub}/twitter/user/{name}", "@{name}"),
            ),
        ),
    ),
    Provider(
        name="instagram",
        hosts=frozenset({"instagram.com", "www.instagram.com"}),
        rules=(
            rule(
                "/" + name_but(_INSTAGRAM_PAGES) + "(?:/.*)?",
                ("{hub}/instagram/user/{name}", "@{name}"),
            ),
        ),
    ),
    Provider(
        name="threads",
        hosts=frozenset({"threads.net", "www.threads.net", "threads.com", "www.threads.com"}),
        rules=(rule(r"/@(?P<name>[\w.]+)(?:/.*)?", ("{hub}/threads/{name}", "@{name}")),),
    ),
    Provider(
        name="tiktok",
        hosts=frozenset({"tiktok.com", "www.tiktok.com"}),
        rules=(rule(r"/(?P<name>@[\w.]+)(?:/.*)?", ("{hub}/tiktok/user/{name}", "{name}")),),
    ),
    Provider(
        name="telegram",
        hosts=frozenset({"t.me", "telegram.me"}),
        rules=(
            rule(
                "/(?:s/)?"
                + name_but("joinchat share s addstickers c", chars=r"\w{4,}")
                + r"(?:/\d+)?",
                ("{hub}/telegram/channel/{name}", "{name}"),
            ),
        ),
    ),
    Provider(
        name="bilibili",
        hosts=frozenset({"space.bilibili.com"}),
        rules=(rule(r"/(?P<id>\d+)(?:/.*)?", ("{hub}/bilibili/user/video/{id}", "Videos")),),
    ),
    Provider(
        name="weibo",
        hosts=frozenset({"weibo.com", "www.weibo.com", "m.weibo.cn"}),
        rules=(rule(r"/(?:u/)?(?P<id>\d{5,})", ("{hub}/weibo/user/{id}", "Posts")),),
    ),
    Provider(
        name="zhihu",
        hosts=frozenset({"www.zhihu.com", "zhihu.com", "zhuanlan.zhihu.com"}),
        rules=(
            rule(
                r"/people/(?P<id>[\w-]+)(?:/.*)?",
                ("{hub}/zhihu/people/activities/{id}", "Activity"),
            ),
            rule(r"/(?P<id>(?!p/)[\w-]{3,})", ("{hub}/zhihu/zhuanlan/{id}", "Column")),
        ),
    ),
    Provider(
        name="pixiv",
        hosts=frozenset({"pixiv.net", "www.pixiv.net"}),
        rules=(
            rule(r"(?:/[a-z]{2})?/users/(?P<id>\d+)(?:/.*)?", ("{hub}/pixiv/user/{id}", "Works")),
        ),
    ),
    Provider(
        name="twitch",
        hosts=frozenset({"twitch.tv", "www.twitch.tv", "m.twitch.tv"}),
        rules=(
            rule(
                "/"
                + name_but("directory videos p search settings jobs", chars=r"\w+")
                + "(?:/.*)?",
                ("{hub}/twitch/video/{name}", "Videos"),
            ),
        ),
    ),
    Provider(
        name="patreon",
        hosts=frozenset({"patreon.com", "www.patreon.com"}),
        rules=(
            rule(
                "/(?:c/)?" + name_but("c home login search explore posts") + "(?:/.*)?",
                ("{hub}/patreon/{name}", "Posts"),
            ),
        ),
    ),
    by_host(
        "facebook",
        "facebook.com www.facebook.com m.facebook.com",
        rule(
            "/(?:pg/)?" + name_but(_FACEBOOK_PAGES) + "(?:/(?:posts|about|photos).*)?",
            ("{hub}/facebook/page/{name}", "Page"),
        ),
    ),
    by_host(
        "linkedin",
        "linkedin.com www.linkedin.com",
        rule(
            r"/company/(?P<name>[\w-]+)(?:/.*)?", ("{hub}/linkedin/company/{name}/posts", "Posts")
        ),
    ),
    by_host(
        "f-droid",
        "f-droid.org www.f-droid.org",
        rule(
            r"(?:/[a-z]{2}(?:_[A-Z]{2})?)?/packages/(?P<id>[\w.]+)",
            ("{hub}/fdroid/apprelease/{id}", "Releases"),
        ),
    ),
    by_host(
        "npm",
        "npmjs.com www.npmjs.com",
        rule(
            r"/package/(?P<name>(?:@[\w.-]+/)?[\w.-]+)(?:/.*)?",
            ("{hub}/npm/package/{name}", "Package"),
        ),
    ),
)
