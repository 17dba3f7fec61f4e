"""Front pages that lead to a list of feeds, as newspapers and offices keep them."""

from tests.corpus.sites.building import Answer, Shape, html, link, page, rss, site

_NAV = "".join(f'<a href="/{desk}/">{desk.title()}</a>' for desk in ("world", "sport", "culture"))


def _rows(*feeds: tuple[str, str], row: str = '<li><a href="{path}">{label}</a></li>') -> str:
    return "".join(row.format(path=path, label=label) for path, label in feeds)


def _listed(
    name: str,
    shows: str,
    body: str,
    *,
    feeds: tuple[str, ...],
    right: str,
    at: str = "/rss",
    button: str = "RSS",
    title: str = "RSS feeds",
    lang: str = "en",
    asked: int | None = None,
) -> Shape:
    """Write down a front page, its list of feeds, and the feed that is meant.

    Of the list ``asked`` links are looked at, by default each feed.
    """
    front = f'{_NAV}<footer><a href="/about">About</a><a href="{at}">{button}</a></footer>'
    return site(
        name,
        shows,
        {
            "/": html("", front, lang=lang),
            at: Answer(page("", f"{_NAV}<h1>{title}</h1>{body}", title=title, lang=lang)),
            **{path: rss(path) for path in feeds},
        },
        canonical=f"{{base0}}{right}",
        origin="anchor",
        requests=2 + (len(feeds) if asked is None else asked),
    )


def _labelled(
    name: str, lang: str, *feeds: tuple[str, str], right: str, asked: int | None = None
) -> Shape:
    return _listed(
        name,
        "the label for everything, in the language of the page",
        _rows(*feeds),
        feeds=tuple(path for path, _ in feeds),
        right=right,
        lang=lang,
        asked=asked,
    )


SHAPES = (
    _listed(
        "list behind an icon called subscribe",
        "what the picture says counts, not the address of newsletters",
        "<h2>Main</h2><a href='/feeds/home'>RSS</a><h2>World</h2><a href='/feeds/world'>RSS</a>",
        feeds=("/feeds/home", "/feeds/world"),
        right="/feeds/home",
        at="/subscribe",
        button='<img src="/wave.png" alt="RSS feeds">',
    ),
    _listed(
        "list of a portal without extensions",
        "addresses that end like pages of a content system",
        _rows(("/rssfeedstop.cms", "Top Stories"), ("/rssfeeds/17.cms", "India")),
        feeds=("/rssfeedstop.cms", "/rssfeeds/17.cms"),
        right="/rssfeedstop.cms",
        at="/rss.cms",
    ),
    _listed(
        "list in a table",
        "the row says what it is about, the link says only its address",
        _rows(
            ("/rss/world.rss", "World"),
            ("/rss/17.rss", "Top stories"),
            row='<tr><td>{label}<td><a href="{path}">{{base0}}{path}</a><td>'
            '<a href="https://feedly.com/i/subscription/feed/{{base0}}{path}">Feedly</a>',
        ),
        feeds=("/rss/world.rss", "/rss/17.rss"),
        right="/rss/17.rss",
    ),
    _listed(
        "list with headings",
        "a heading before each link, which says RSS",
        _rows(
            ("/rss/3.xml", "Sport"),
            ("/rss/17.xml", "Front page"),
            row='<h3>{label}</h3><a href="{path}">RSS</a>',
        ),
        feeds=("/rss/3.xml", "/rss/17.xml"),
        right="/rss/17.xml",
        at="/service/rss-feeds",
    ),
    _listed(
        "list with icons",
        "a name before each icon",
        _rows(
            ("/out/sport_rss.xml", "Sport"),
            ("/out/17_rss.xml", "Home"),
            row='<span>{label}</span> <a href="{path}"><img src="/i/rss.gif"></a>',
        ),
        feeds=("/out/sport_rss.xml", "/out/17_rss.xml"),
        right="/out/17_rss.xml",
    ),
    _listed(
        "list by number",
        "a category for everything is no category",
        _rows(("/rss.php?cat=3", "Sport"), ("/rss.php?cat=0", "All news")),
        feeds=("/rss.php?cat=3", "/rss.php?cat=0"),
        right="/rss.php?cat=0",
        at="/help/rss",
    ),
    _listed(
        "list of a bank",
        "the first is meant; a blog is one part among others",
        _rows(("/rss/press.html", "Press releases and speeches"), ("/rss/blog.html", "Blog")),
        feeds=("/rss/press.html", "/rss/blog.html"),
        right="/rss/press.html",
        at="/portal/html/rss.en.html",
    ),
    _listed(
        "list with newsletters",
        "a button for newsletters that also says RSS",
        _rows(("/service/feed/politik", "Politik"), ("/service/feed/alle", "Alle Artikel")),
        feeds=("/service/feed/politik", "/service/feed/alle"),
        right="/service/feed/alle",
        at="/service/newsletter",
        button="Newsletter &amp; RSS",
        lang="de",
    ),
    _listed(
        "list behind subscribe",
        "the way there says subscribe and no more",
        _rows(("/about/rss-feeds/press.xml", "Press"), ("/about/rss-feeds/b.xml", "Recalls")),
        feeds=("/about/rss-feeds/press.xml", "/about/rss-feeds/b.xml"),
        right="/about/rss-feeds/press.xml",
        at="/subscriptions",
        button="Subscribe",
        title="Stay informed",
    ),
    _listed(
        "list with a long title",
        "its words say RSS, its address too, and the rest is advertisement",
        _rows(
            ("/out/1.xml", "Politik"),
            ("/out/2.xml", "Alle Artikel"),
            row='<li>{label} <a href="{path}">Feed</a>',
        ),
        feeds=("/out/1.xml", "/out/2.xml"),
        right="/out/2.xml",
        at="/service/rss-feeds-123.html",
        title="RSS-Feeds: So lesen Sie die Nachrichten des Abendblatts kostenlos",
        lang="de",
    ),
    _listed(
        "list that is not called one",
        "four feeds of the site make a list",
        _rows(
            *((f"/out/{n}.xml", f"Desk {n}a") for n in range(3)),
            ("/out/9.xml", "All stories"),
            row='<li>{label} <a href="{path}">XML</a>',
        ),
        feeds=("/out/0.xml", "/out/1.xml", "/out/2.xml", "/out/9.xml"),
        right="/out/9.xml",
        at="/help/77",
        title="Help",
    ),
    _listed(
        "list of plain names that bear the site's",
        "its title says whose feeds they are",
        _rows(("/srv/opinion", "Leaf Opinion"), ("/srv/newest", "Leaf Latest Headlines")),
        feeds=("/srv/opinion", "/srv/newest"),
        right="/srv/newest",
        at="/rss-info",
        title="RSS | Leaf",
        asked=1,
    ),
    _listed(
        "list of languages",
        "a link that names its language is not named by the link before it",
        _rows(("/en/rss/all", "English"), ("/fr/rss/all", "Français"), ("/es/rss/all", "Español")),
        feeds=("/en/rss/all", "/fr/rss/all", "/es/rss/all"),
        right="/fr/rss/all",
        lang="fr",
    ),
    *(
        _listed(
            f"list with {what}",
            shows,
            _rows(("/rss/a.xml", "Arts"), ("/rss/b.xml", "Books"), ("/rss/c.xml", label), row=row),
            feeds=("/rss/a.xml", "/rss/b.xml", "/rss/c.xml"),
            right="/rss/c.xml",
            asked=3 + ("/desk" in row),
        )
        for what, shows, label, row in (
            (
                "one label for all",
                "the label that all links share says nothing",
                "Latest",
                '<div><span>{label}</span><p><a href="{path}">Copy link</a></div>',
            ),
            (
                "labels behind the icons",
                "the first has no text before it, so the names come after",
                "All news",
                '<p><a href="{path}"><img src="/rss.gif" alt="RSS"></a> {label}',
            ),
            (
                "links before the icons",
                "each section is linked as well, and that link bears its name",
                "News",
                '<li><a href="/desk">{label}</a> <a href="{path}"><img src="/rss.gif"></a>',
            ),
            (
                "a button in Korean",
                "words nobody listed, the same on each button",
                "최신기사",
                '<li>{label} <a href="{path}">주소복사</a>',
            ),
        )
    ),
    site(
        "list in a menu",
        "addresses to choose from, as a menu holds them",
        {
            "/": html(
                "",
                '<select><option value="">RSS</option><option value="/rss/sport.xml">Sport'
                '<option value="/rss/21.xml">All</select>',
            ),
            "/rss/sport.xml": rss("Sport"),
            "/rss/21.xml": rss("Everything"),
        },
        canonical="{base0}/rss/21.xml",
        origin="anchor",
        requests=3,
    ),
    _labelled(
        "list in arabic",
        "ar",
        ("/loomrss/sport", "رياضة"),
        ("/loomrss/17", "كل الأخبار"),
        right="/loomrss/17",
        asked=1,
    ),
    _labelled(
        "list in vietnamese",
        "vi",
        ("/rss/the-gioi.rss", "Thế giới"),
        ("/rss/trang-nhat.rss", "Trang chủ"),
        right="/rss/trang-nhat.rss",
    ),
    _labelled(
        "list in indonesian",
        "id",
        ("/rss/politik.xml", "Politik"),
        ("/rss/kabar.xml", "Berita Terkini"),
        right="/rss/kabar.xml",
    ),
    _labelled(
        "list in japanese",
        "ja",
        ("/rss/cat1.xml", "社会"),
        ("/rss/cat0.xml", "主要ニュース"),
        right="/rss/cat0.xml",
    ),
    _labelled(
        "list in korean",
        "ko",
        ("/rss/politics.xml", "정치"),
        ("/rss/recent17.xml", "최신기사"),
        right="/rss/recent17.xml",
    ),
    _labelled(
        "list in chinese",
        "zh",
        ("/rss/sport.xml", "体育"),
        ("/rss/c17.xml", "即时新闻"),
        right="/rss/c17.xml",
    ),
    site(
        "long list of one brand",
        "what all labels share is the brand; of forty the last is for everything",
        {
            "/": html("", '<a href="/rss">RSS</a>'),
            "/rss": html(
                "",
                _rows(
                    *((f"/rss/{n}.xml", f"Loom Desk {n}a") for n in range(40)),
                    ("/rss/100.xml", "Loom Latest News"),
                ),
            ),
            **{f"/rss/{n}.xml": rss(f"Desk {n}") for n in range(40)},
            "/rss/100.xml": rss(),
        },
        canonical="{base0}/rss/100.xml",
        origin="anchor",
    ),
    site(
        "list as an outline",
        "the footer leads to an OPML document; feeds of others in it do not count",
        {
            "/": html("", '<a href="/feeds.opml">OPML</a>'),
            "/feeds.opml": Answer(
                '<opml version="2.0"><body><outline text="A friend" xmlUrl="{base1}/feed.xml"/>'
                '<outline text="News" xmlUrl="{base0}/o/1"/></body></opml>',
                type="text/x-opml",
            ),
            "/o/1": rss(),
        },
        {"/feed.xml": rss("A friend", at="{base1}")},
        canonical="{base0}/o/1",
        origin="anchor",
        requests=3,
    ),
    site(
        "news in label and address",
        "a label with other words beside news, at an address that says news",
        {
            "/": html(
                link("/rss/events.xml", title="Events at the University")
                + link("/rss/news.xml", title="News from the University")
            ),
            "/rss/events.xml": rss("Events"),
            "/rss/news.xml": rss("News"),
        },
        canonical="{base0}/rss/news.xml",
        origin="html",
    ),
    site(
        "feed that bears the site's name",
        "labels and addresses say nothing; a feed is called as its front page",
        {
            "/": Answer(page(link("/x/2") + link("/x/1"), title="Evening Leaf")),
            "/x/2": rss("Evening Leaf: Sport"),
            "/x/1": rss("Evening Leaf"),
        },
        canonical="{base0}/x/1",
        origin="html",
    ),
)
