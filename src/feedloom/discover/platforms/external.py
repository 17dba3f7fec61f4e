"""Sites without feeds of their own: routes of an RSSHub server that makes them.

The server is a value of the installation and may be absent. What it answers is
validated like any other candidate, and scores lowest.
"""

from feedloom.discover.platforms.matcher import name_but, platform, rule

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
    platform(
        "x",
        rule(
            "/" + name_but(_X_PAGES, chars=r"\w{1,15}") + "(?:/.*)?",
            ("{hub}/twitter/user/{name}", "@{name}"),
        ),
        hosts="x.com www.x.com twitter.com www.twitter.com mobile.twitter.com",
    ),
    platform(
        "instagram",
        rule(
            "/" + name_but(_INSTAGRAM_PAGES) + "(?:/.*)?",
            ("{hub}/instagram/user/{name}", "@{name}"),
        ),
        hosts="instagram.com www.instagram.com",
    ),
    platform(
        "threads",
        rule(r"/@(?P<name>[\w.]+)(?:/.*)?", ("{hub}/threads/{name}", "@{name}")),
        hosts="threads.net www.threads.net threads.com www.threads.com",
    ),
    platform(
        "tiktok",
        rule(r"/(?P<name>@[\w.]+)(?:/.*)?", ("{hub}/tiktok/user/{name}", "{name}")),
        hosts="tiktok.com www.tiktok.com",
    ),
    platform(
        "telegram",
        rule(
            "/(?:s/)?" + name_but("joinchat share s addstickers c", chars=r"\w{4,}") + r"(?:/\d+)?",
            ("{hub}/telegram/channel/{name}", "{name}"),
        ),
        hosts="t.me telegram.me",
    ),
    platform(
        "bilibili",
        rule(r"/(?P<id>\d+)(?:/.*)?", ("{hub}/bilibili/user/video/{id}", "Videos")),
        hosts="space.bilibili.com",
    ),
    platform(
        "weibo",
        rule(r"/(?:u/)?(?P<id>\d{5,})", ("{hub}/weibo/user/{id}", "Posts")),
        hosts="weibo.com www.weibo.com m.weibo.cn",
    ),
    platform(
        "zhihu",
        rule(r"/people/(?P<id>[\w-]+)(?:/.*)?", ("{hub}/zhihu/people/activities/{id}", "Activity")),
        rule(r"/(?P<id>(?!p/)[\w-]{3,})", ("{hub}/zhihu/zhuanlan/{id}", "Column")),
        hosts="www.zhihu.com zhihu.com zhuanlan.zhihu.com",
    ),
    platform(
        "pixiv",
        rule(r"(?:/[a-z]{2})?/users/(?P<id>\d+)(?:/.*)?", ("{hub}/pixiv/user/{id}", "Works")),
        hosts="pixiv.net www.pixiv.net",
    ),
    platform(
        "twitch",
        rule(
            "/" + name_but("directory videos p search settings jobs", chars=r"\w+") + "(?:/.*)?",
            ("{hub}/twitch/video/{name}", "Videos"),
        ),
        hosts="twitch.tv www.twitch.tv m.twitch.tv",
    ),
    platform(
        "patreon",
        rule(
            "/(?:c/)?" + name_but("c home login search explore posts") + "(?:/.*)?",
            ("{hub}/patreon/{name}", "Posts"),
        ),
        hosts="patreon.com www.patreon.com",
    ),
    platform(
        "facebook",
        rule(
            "/(?:pg/)?" + name_but(_FACEBOOK_PAGES) + "(?:/(?:posts|about|photos).*)?",
            ("{hub}/facebook/page/{name}", "Page"),
        ),
        hosts="facebook.com www.facebook.com m.facebook.com",
    ),
    platform(
        "linkedin",
        rule(
            r"/company/(?P<name>[\w-]+)(?:/.*)?", ("{hub}/linkedin/company/{name}/posts", "Posts")
        ),
        hosts="linkedin.com www.linkedin.com",
    ),
    platform(
        "f-droid",
        rule(
            r"(?:/[a-z]{2}(?:_[A-Z]{2})?)?/packages/(?P<id>[\w.]+)",
            ("{hub}/fdroid/apprelease/{id}", "Releases"),
        ),
        hosts="f-droid.org www.f-droid.org",
    ),
    platform(
        "npm",
        rule(
            r"/package/(?P<name>(?:@[\w.-]+/)?[\w.-]+)(?:/.*)?",
            ("{hub}/npm/package/{name}", "Package"),
        ),
        hosts="npmjs.com www.npmjs.com",
    ),
)
