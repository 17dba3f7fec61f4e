"""Forums and link sites: boards, questions, threads and the people on them."""

from feedloom.discover.platforms.matcher import platform, rule

_REDDIT = "https://www.reddit.com"
_SUB = r"/r/(?P<sub_name>[\w+-]+)"
REDDIT = platform(
    "reddit",
    rule(
        _SUB + "/search",
        (
            _REDDIT + "/r/{sub_name}/search.rss?q={q}&restrict_sr=on&sort=new",
            "Search in r/{sub_name}",
        ),
        (_REDDIT + "/r/{sub_name}/.rss", "r/{sub_name}"),
        query=("q",),
    ),
    rule("/search", (_REDDIT + "/search.rss?q={q}&sort=new", "Search"), query=("q",)),
    rule(
        _SUB + r"/comments/(?P<id>\w+)(?:/.*)?",
        (_REDDIT + "/r/{sub_name}/.rss", "r/{sub_name}"),
        (_REDDIT + "/r/{sub_name}/comments/{id}/.rss", "Comments on this post"),
    ),
    rule(
        _SUB + r"/(?P<order>top|controversial)",
        (_REDDIT + "/r/{sub_name}/{order}/.rss?t={t}", "r/{sub_name}, {order}"),
        (_REDDIT + "/r/{sub_name}/.rss", "r/{sub_name}"),
        query=("t",),
    ),
    rule(
        _SUB + r"/(?P<order>new|hot|top|rising|controversial)",
        (_REDDIT + "/r/{sub_name}/{order}/.rss", "r/{sub_name}, {order}"),
        (_REDDIT + "/r/{sub_name}/.rss", "r/{sub_name}"),
    ),
    rule(_SUB + r"(?:/.*)?", (_REDDIT + "/r/{sub_name}/.rss", "r/{sub_name}")),
    rule(
        r"/(?:user|u)/(?P<user>[\w-]+)/m/(?P<multi>\w+)(?:/.*)?",
        (_REDDIT + "/user/{user}/m/{multi}/.rss", "{multi}"),
    ),
    rule(
        r"/(?:user|u)/(?P<user>[\w-]+)/(?P<part>submitted|comments)",
        (_REDDIT + "/user/{user}/{part}/.rss", "u/{user}, {part}"),
        (_REDDIT + "/user/{user}/.rss", "u/{user}"),
    ),
    rule(
        r"/(?:user|u)/(?P<user>[\w-]+)(?:/.*)?",
        (_REDDIT + "/user/{user}/.rss", "u/{user}"),
        (_REDDIT + "/user/{user}/submitted/.rss", "Posts of u/{user}"),
    ),
    rule("/", (_REDDIT + "/.rss", "Reddit")),
    hosts="reddit.com www.reddit.com old.reddit.com new.reddit.com np.reddit.com m.reddit.com",
)

STACK_EXCHANGE = platform(
    "stack exchange",
    rule(
        r"/questions/tagged/(?P<tag>[^/]+)(?:/.*)?",
        ("{origin}/feeds/tag/{tag}", "Questions on {tag}"),
    ),
    rule(r"/tags/(?P<tag>[^/]+)(?:/.*)?", ("{origin}/feeds/tag/{tag}", "Questions on {tag}")),
    rule(r"/users/(?P<id>\d+)(?:/.*)?", ("{origin}/feeds/user/{id}", "This person")),
    rule(
        r"/(?:questions|q)/(?P<id>\d+)(?:/.*)?",
        ("{origin}/feeds/question/{id}", "This question"),
        ("{origin}/feeds", "All questions"),
    ),
    rule(r"/(?:questions)?", ("{origin}/feeds", "All questions")),
    hosts=(
        "stackoverflow.com meta.stackoverflow.com pt.stackoverflow.com ru.stackoverflow.com "
        "es.stackoverflow.com ja.stackoverflow.com serverfault.com superuser.com askubuntu.com "
        "mathoverflow.net stackapps.com"
    ),
    parents="stackexchange.com",
    reserved="www api chat data area51",
)

_HNRSS = "https://hnrss.org"
HACKER_NEWS = platform(
    "hacker news",
    rule(
        "/(?:user|submitted)",
        (_HNRSS + "/submitted?id={id}", "Submissions of {id}"),
        (_HNRSS + "/user?id={id}", "All of {id}"),
        query=("id",),
    ),
    rule("/threads", (_HNRSS + "/threads?id={id}", "Threads of {id}"), query=("id",)),
    rule("/item", (_HNRSS + "/item?id={id}", "This thread"), query=("id",)),
    rule("/(?P<list>newest|ask|show|jobs|best)", (_HNRSS + "/{list}", "{list}")),
    rule(
        "/(?:news|front)?",
        ("https://news.ycombinator.com/rss", "Front page"),
        (_HNRSS + "/frontpage", "Front page"),
    ),
    hosts="news.ycombinator.com",
)

_LOBSTERS = "https://lobste.rs"
LOBSTERS = platform(
    "lobsters",
    rule(r"/t/(?P<tag>[\w,+-]+)", (_LOBSTERS + "/t/{tag}.rss", "{tag}")),
    rule(
        r"/(?:~|u/)(?P<user>[\w-]+)(?:/.*)?",
        (_LOBSTERS + "/~{user}/stories.rss", "Stories of {user}"),
        (_LOBSTERS + "/newest/{user}.rss", "Stories of {user}"),
    ),
    rule("/newest", (_LOBSTERS + "/newest.rss", "Newest")),
    rule("/comments", (_LOBSTERS + "/comments.rss", "Comments")),
    rule("/(?:s/.*|active|recent)?", (_LOBSTERS + "/rss", "Front page")),
    hosts="lobste.rs www.lobste.rs",
)

DISCOURSE = platform(
    "discourse",
    rule(
        r"/t/(?P<topic>[\w-]+(?:/\d+)?)(?:/\d+)?",
        ("{origin}/t/{topic}.rss", "This topic"),
        ("{origin}/latest.rss", "Latest topics"),
    ),
    rule(
        r"/c/(?P<category>[\w-]+(?:/[\w-]+)*?(?:/\d+)?)(?:/l/.*)?",
        ("{origin}/c/{category}.rss", "This category"),
        ("{origin}/latest.rss", "Latest topics"),
    ),
    rule(
        r"/tag/(?P<tag>[\w-]+)(?:/.*)?",
        ("{origin}/tag/{tag}.rss", "#{tag}"),
        ("{origin}/latest.rss", "Latest topics"),
    ),
    rule(r"/u/(?P<user>[\w.-]+)(?:/.*)?", ("{origin}/u/{user}/activity.rss", "{user}")),
    rule("/.*", ("{origin}/latest.rss", "Latest topics"), ("{origin}/posts.rss", "Latest posts")),
    generators="discourse",
    marks=("data-discourse-setup", "discourse-cdn"),
)

LEMMY = platform(
    "lemmy",
    rule(
        r"/(?P<kind>c|u)/(?P<name>[\w.@-]+)(?:/.*)?",
        ("{origin}/feeds/{kind}/{name}.xml?sort=New", "{name}"),
    ),
    rule(
        "/",
        ("{origin}/feeds/local.xml?sort=New", "Local posts"),
        ("{origin}/feeds/all.xml?sort=New", "All posts"),
    ),
    hosts=(
        "lemmy.world lemmy.ml lemmy.ca lemmy.zip beehaw.org sh.itjust.works programming.dev "
        "feddit.org feddit.it feddit.uk sopuli.xyz discuss.tchncs.de slrpnk.net aussie.zone"
    ),
    marks=('name="description" content="lemmy"', "lemmy-ui", "https://join-lemmy.org"),
)

PROVIDERS = (REDDIT, STACK_EXCHANGE, HACKER_NEWS, LOBSTERS, DISCOURSE, LEMMY)
