"""Pages that name several feeds alike: what they are called, and in which order."""

from tests.corpus.sites.building import Shape, atom, html, link, rss, site


def _named(name: str, shows: str, *feeds: tuple[str, str], right: str, lang: str = "en") -> Shape:
    """Write down a page that names feeds as (address, label), all of them good."""
    head = "".join(link(path, title=label) for path, label in feeds)
    answers = {path: rss(label or "Feed") for path, label in feeds}
    return site(
        name,
        shows,
        {"/": html(head, lang=lang), **answers},
        canonical=f"{{base0}}{right}",
        origin="html",
    )


SHAPES = (
    _named(
        "food portal",
        "topics alike: the first is meant, not the shortest",
        ("/recipes-and-more.xml", "Recipes"),
        ("/beer.xml", "Beer"),
        ("/wine.xml", "Wine"),
        right="/recipes-and-more.xml",
    ),
    _named(
        "main feed below its topics",
        "a label for everything wins over topics that stand before it",
        ("/rss/sports", "Sports"),
        ("/rss/world", "World"),
        ("/rss/homepage", "Top stories"),
        right="/rss/homepage",
    ),
    _named(
        "labels of one brand",
        "the words that all labels share are the site's name",
        ("/rss/2.xml", "Daily Loom - Sports"),
        ("/rss/30.xml", "Daily Loom - Latest news"),
        ("/rss/4.xml", "Daily Loom - Travel"),
        right="/rss/30.xml",
    ),
    _named(
        "german labels",
        "Alle Meldungen",
        ("/rss/2.xml", "Wirtschaft"),
        ("/rss/30.xml", "Alle Meldungen"),
        right="/rss/30.xml",
        lang="de",
    ),
    _named(
        "french labels",
        "À la une",
        ("/rss/2.xml", "Économie"),
        ("/rss/30.xml", "À la une"),
        right="/rss/30.xml",
        lang="fr",
    ),
    _named(
        "spanish labels",
        "Últimas noticias",
        ("/rss/2.xml", "Deportes"),
        ("/rss/30.xml", "Últimas noticias"),
        right="/rss/30.xml",
        lang="es",
    ),
    _named(
        "russian labels",
        "Последние новости",
        ("/rss/2.xml", "Спорт"),
        ("/rss/30.xml", "Последние новости"),
        right="/rss/30.xml",
        lang="ru",
    ),
    _named(
        "japanese labels",
        "最新記事",
        ("/rss/2.xml", "スポーツ"),
        ("/rss/30.xml", "最新記事"),
        right="/rss/30.xml",
        lang="ja",
    ),
    _named(
        "hindi labels",
        "vowel signs belong to the words",
        ("/rss/2.xml", "खेल"),
        ("/rss/30.xml", "ताज़ा खबरें"),
        right="/rss/30.xml",
        lang="hi",
    ),
    _named(
        "thai labels",
        "tone marks belong to the words",
        ("/rss/2.xml", "กีฬา"),
        ("/rss/30.xml", "ข่าวทั้งหมด"),
        right="/rss/30.xml",
        lang="th",
    ),
    _named(
        "danish labels",
        "seneste nyt",
        ("/rss/2.xml", "Sporten"),
        ("/rss/30.xml", "Seneste nyt"),
        right="/rss/30.xml",
        lang="da",
    ),
    _named(
        "chinese labels",
        "要闻快讯",
        ("/rss/2.xml", "时政新闻频道"),
        ("/rss/30.xml", "要闻快讯"),
        right="/rss/30.xml",
        lang="zh",
    ),
    _named(
        "hungarian labels",
        "Legfrissebb hírek",
        ("/rss/2.xml", "Belföld"),
        ("/rss/30.xml", "Legfrissebb hírek"),
        right="/rss/30.xml",
        lang="hu",
    ),
    *(
        _named(
            f"{lang} labels for everything",
            f"{main}, of one topic and of everything",
            ("/rss/2.xml", topic),
            ("/rss/30.xml", main),
            right="/rss/30.xml",
            lang=lang,
        )
        for lang, topic, main in (
            ("nl", "Sport", "Net binnen"),
            ("it", "Cronaca", "Ultimissime"),
            ("es", "Deportes", "Lo último"),
            ("el", "Αθλητικά", "Όλες \u03bf\u03b9 ειδήσεις"),
            ("hu", "Sport", "Összes cikk"),
            ("cs", "Sport", "Všechny články"),
            ("sv", "Sport", "Senaste nytt"),
            ("uk", "Спорт", "\u0423\u0441\u0456 новини"),
            ("fa", "ورزشی", "همه خبرها"),
            ("he", "ספורט", "כל הכתבות"),
            ("ar", "رياضة", "أحدث الأخبار"),
            ("en", "Reviews", "What's new"),
        )
    ),
    *(
        _named(f"languages {how}", "the page's own is chosen", *feeds, right=feeds[1][0], lang="de")
        for how, feeds in (
            ("in file names", (("/rss-en.xml", "RSS"), ("/rss-de.xml", "RSS"))),
            ("before the ending", (("/feed.fr.xml", "RSS"), ("/feed.de.xml", "RSS"))),
            ("by their own names", (("/f/1", "RSS (English)"), ("/f/2", "RSS (Deutsch)"))),
            ("in a sentence", (("/f/1", "Nouvelles en français"), ("/f/2", "Auf Deutsch"))),
        )
    ),
    site(
        "sections that bear the site's name",
        "all feeds have one title; the address tells them apart",
        {
            "/": html(link("/rss/politics.rss", title="RSS") + link("/rss/top.rss", title="RSS")),
            "/rss/politics.rss": rss(),
            "/rss/top.rss": rss(),
        },
        canonical="{base0}/rss/top.rss",
        origin="html",
    ),
    _named(
        "feeds for investors",
        "press releases are the news of a company",
        ("/rss/2.xml", "SEC Filings"),
        ("/rss/30.xml", "Press Releases"),
        right="/rss/30.xml",
    ),
    _named(
        "a label that only begins like everything",
        "the top ten of a topic is a topic",
        ("/rss/long-name-of-home-news.xml", "RSS"),
        ("/rss/2.xml", "Top 10 beers"),
        right="/rss/long-name-of-home-news.xml",
    ),
    _named(
        "labels that name only the format",
        "the address says which of them is about one topic",
        ("/beer/feed", "RSS 2.0"),
        ("/feed", "RSS 2.0"),
        right="/feed",
    ),
    _named(
        "main feed in a folder",
        "what is named first may lie deep",
        ("/export/public/rss/main.xml", "Ann"),
        ("/podcast.xml", "Podcast"),
        right="/export/public/rss/main.xml",
    ),
    _named(
        "blog and podcast",
        "two feeds that say nothing of each other",
        ("/journal.xml", "Journal"),
        ("/show.xml", "Show"),
        right="/journal.xml",
    ),
    site(
        "another format of another feed",
        "Atom is nicer than RSS, but not for another subject",
        {
            "/": html(
                link("/all-of-it.xml", title="Ann") + link("/show.xml", "atom", title="Podcast")
            ),
            "/all-of-it.xml": rss(),
            "/show.xml": atom("Ann speaks"),
        },
        canonical="{base0}/all-of-it.xml",
        origin="html",
    ),
    site(
        "main feed behind thirteen topics",
        "where not all can be asked, the shallow ones are",
        {
            "/": html(
                "".join(link(f"/desk/{n}/topic/list.xml") for n in range(30))
                + link("/everything.xml")
            ),
            **{f"/desk/{n}/topic/list.xml": rss(f"Desk {n}") for n in range(30)},
            "/everything.xml": rss(),
        },
        canonical="{base0}/everything.xml",
        origin="html",
    ),
    site(
        "feeds in several languages",
        "hreflang says which one belongs to this page",
        {
            "/": html(
                link("/a.xml", lang="en")
                + link("/b.xml", lang="de")
                + link("/c.xml", lang="fr-ca"),
                lang="de-AT",
            ),
            "/a.xml": rss("News"),
            "/b.xml": rss("Neues"),
            "/c.xml": rss("Nouvelles"),
        },
        canonical="{base0}/b.xml",
        origin="html",
    ),
    site(
        "languages in addresses",
        "a page in French names the feeds of all languages",
        {
            "/fr/": html(link("/en/feed") + link("/de/feed") + link("/fr/feed"), lang="en"),
            "/en/feed": rss("News"),
            "/de/feed": rss("Neues"),
            "/fr/feed": rss("Nouvelles"),
        },
        pasted="{base0}/fr/",
        canonical="{base0}/fr/feed",
        origin="html",
    ),
    site(
        "languages of anchors",
        "the same for feeds that are only linked",
        {
            "/": html("", '<a href="/en/rss">RSS</a> <a href="/es/rss">RSS</a>', lang="es"),
            "/en/rss": rss("News"),
            "/es/rss": rss("Noticias"),
        },
        canonical="{base0}/es/rss",
        origin="anchor",
    ),
    site(
        "anchors alike",
        "among anchors the first is meant as well",
        {
            "/": html(
                "",
                '<a href="/rss/kitchen-and-garden.xml">Kitchen</a><a href="/rss/tea.xml">Tea</a>',
            ),
            "/rss/kitchen-and-garden.xml": rss("Kitchen"),
            "/rss/tea.xml": rss("Tea"),
        },
        canonical="{base0}/rss/kitchen-and-garden.xml",
        origin="anchor",
    ),
    site(
        "planet",
        "a page that gathers the feeds of others, and has one of its own",
        {
            "/": html(
                "",
                '<a href="{base1}/ann/feed.xml">feed</a> <a href="{base1}/ben/rss.xml">'
                'feed</a> <a href="/planet.atom">Subscribe</a>',
            ),
            "/planet.atom": atom("Planet"),
        },
        {"/ann/feed.xml": rss("Ann", at="{base1}"), "/ben/rss.xml": rss("Ben", at="{base1}")},
        canonical="{base0}/planet.atom",
        origin="anchor",
    ),
    site(
        "linked and named",
        "what is linked in a page is not asked for while its head names a feed",
        {
            "/": html(
                link("/feed.xml"), "".join(f'<a href="/desk{n}/rss.xml">RSS</a>' for n in range(9))
            ),
            "/feed.xml": rss(),
            **{f"/desk{n}/rss.xml": rss(f"Desk {n}") for n in range(9)},
        },
        canonical="{base0}/feed.xml",
        origin="html",
        requests=2,
    ),
    site(
        "comments in swedish",
        "a label that says comments in another form of the word",
        {
            "/": html(link("/a.xml", title="Kommentarsflöde") + link("/bb.xml", title="Flöde")),
            "/a.xml": rss("A"),
            "/bb.xml": rss("B"),
        },
        canonical="{base0}/bb.xml",
        origin="html",
    ),
    site(
        "site name in the head",
        "the site is called by og:site_name; the label is the name and no more",
        {
            "/": html(
                '<meta property="og:site_name" content="Tea &amp; Loom">'
                + link("/x/1", title="Pots")
                + link("/x/2", title="Tea & Loom RSS")
            ),
            "/x/1": rss("Pots"),
            "/x/2": rss("Tea & Loom".replace("&", "&amp;")),
        },
        canonical="{base0}/x/2",
        origin="html",
    ),
)
