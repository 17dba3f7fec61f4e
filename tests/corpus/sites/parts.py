"""Pages that are a part of a site: folders, tags, languages, posts with comments."""

from tests.corpus.sites.building import Answer, Shape, html, link, rss, site

_COMMENTS = {
    "en": "Comments Feed",
    "fr": "Flux des commentaires",
    "es": "RSS de los comentarios",
    "pl": "Kanał z komentarzami wpisu",
    "it": "Feed dei commenti",
    "nl": "Reactiefeed",
    "pt": "Feed de comentários",
    "ru": "Лента комментариев",
    "ja": "のコメントのフィード",
    "sv": "kommentarsflöde",
    "cs": "RSS komentářů",
    "tr": "yorum ak\u0131\u015f\u0131",
    "fi": "kommenttien syöte",
    "el": "Ροή Σχολίων",
    "hu": "hozzászólás hírcsatorna",
    "he": "פיד תגובות",
    "zh": "评论 Feed",
    "ko": "댓글 피드",
    "ar": "خلاصة التعليقات",
    "uk": "стрічка коментарів",
    "vi": "Dòng bình luận",
    "fa": "\u062f\u06cc\u062f\u06af\u0627\u0647",
    "th": "ฟีดความเห็น",
    "et": "kommentaaride voog",
    "lv": "komentāru plūsma",
    "eu": "iruzkinen jarioa",
}
_GHOST = '<meta name="generator" content="Ghost 5.98">' + link("/rss/")


def _post(lang: str, label: str) -> Shape:
    """Write down a post whose page names the feed of its comments first."""
    own = "/2024/05/a-walk/feed/"
    head = link(own, title=f"Ann » A walk {label}") + link("/feed/", title="Ann » Feed")
    return site(
        f"comments of a post, {lang}",
        "the comments of one post are not what its reader wants",
        {
            "/2024/05/a-walk/": html(head, lang=lang),
            own: rss("A walk", items=2),
            "/feed/": rss("Ann"),
        },
        pasted="{base0}/2024/05/a-walk/",
        canonical="{base0}/feed/",
        origin="html",
    )


def _in(name: str, shows: str, path: str, head: str, *feeds: str, right: str, **rest) -> Shape:
    """Write down a page in a folder that names feeds of the folder and of the site."""
    lang = rest.pop("lang", "en")
    return site(
        name,
        shows,
        {path: html(head, lang=lang), **{feed: rss(feed) for feed in feeds}},
        pasted=f"{{base0}}{path}",
        canonical=f"{{base0}}{right}",
        **({"origin": "html", "requests": 1 + len(feeds)} | rest),
    )


SHAPES = (
    *(_post(lang, label) for lang, label in _COMMENTS.items()),
    site(
        "comments of a post in no known language",
        "its entries lead to comments on the post, which is therefore no folder",
        {
            "/a-walk/": html(
                link("/a-walk/feed/", title="Ann » A walk xyzzy")
                + link("/feed/", title="Ann » Feed")
            ),
            "/a-walk/feed/": Answer(
                "<rss version='2.0'><channel><title>A walk</title><link>{base0}/a-walk/</link>"
                "<item><title>Ben</title><guid>{base0}/a-walk/#comment-7</guid>"
                "<link>{base0}/a-walk/comment-page-2/#comment-7</link>"
                "<pubDate>{day1}</pubDate></item></channel></rss>",
                type="application/rss+xml",
            ),
            "/feed/": rss("Ann"),
        },
        pasted="{base0}/a-walk/",
        canonical="{base0}/feed/",
        origin="html",
    ),
    _in(
        "section of a newspaper",
        "a folder is no category by its name; its feed lies in it",
        "/sport/",
        link("/rss.xml", title="Loom - Front page") + link("/sport/rss.xml", title="Loom - Sport"),
        "/rss.xml",
        "/sport/rss.xml",
        right="/sport/rss.xml",
    ),
    _in(
        "blog of a company",
        "the page of the blog names the feeds of blog and company",
        "/blog/",
        link("/news/feed.xml", title="News") + link("/blog/feed.xml", title="Blog"),
        "/news/feed.xml",
        "/blog/feed.xml",
        right="/blog/feed.xml",
    ),
    _in(
        "article of a newspaper",
        "an article in a section names several; the front page is meant",
        "/politics/2024/story.html",
        link("/rss/politics.xml", title="Politics") + link("/rss/home.xml", title="Home"),
        "/rss/politics.xml",
        "/rss/home.xml",
        right="/rss/home.xml",
    ),
    _in(
        "language in a folder",
        "the main feed says no language; the folder's feed is of the language asked for",
        "/de/",
        link("/feed.xml", title="Blog") + link("/de/feed.xml", title="Blog"),
        "/feed.xml",
        "/de/feed.xml",
        right="/de/feed.xml",
        lang="de",
    ),
    _in(
        "language by hreflang",
        "the link says its language, the other says none",
        "/zh-cn/start",
        link("/index.xml", title="Docs") + link("/c/1.xml", title="Docs", lang="zh-CN"),
        "/index.xml",
        "/c/1.xml",
        right="/c/1.xml",
        lang="zh-CN",
    ),
    _in(
        "tag of a ghost that names its main feed",
        "the software is known to keep a feed for each tag",
        "/tag/tea/",
        _GHOST,
        "/rss/",
        "/tag/tea/rss/",
        right="/tag/tea/rss/",
        origin="platform",
    ),
    _in(
        "author of a ghost that names its main feed",
        "and for each author",
        "/author/ann/",
        _GHOST,
        "/rss/",
        "/author/ann/rss/",
        right="/author/ann/rss/",
        origin="platform",
    ),
    _in(
        "tag page without a tag feed",
        "no guesses beyond the main feed",
        "/tag/tea/",
        link("/rss/"),
        "/rss/",
        right="/rss/",
        requests=2,
    ),
)
