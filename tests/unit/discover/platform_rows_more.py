"""More rows: podcasts, journals, packages and libraries, an example of each."""

_LOOKUP = "https://itunes.apple.com/lookup?id=17&entity=podcast"
_CONNECT = "https://connect.biorxiv.org/biorxiv_xml.php?subject="
_HISTORY = "https://en.wikipedia.org/w/index.php?title=Tea&action=history&feed=atom"

# The pasted address, and the feeds in the adapter's order.
MORE_MATCHING = [
    ("https://podcasts.apple.com/us/podcast/the-show/id17", [_LOOKUP]),
    ("https://podcasts.apple.com/podcast/id17", [_LOOKUP]),
    ("https://overcast.fm/itunes17/the-show", [_LOOKUP]),
    ("https://pca.st/itunes/17", [_LOOKUP]),
    (
        "https://shows.acast.com/the-show/episodes/one",
        ["https://feeds.acast.com/public/shows/the-show"],
    ),
    ("https://play.acast.com/s/the-show", ["https://feeds.acast.com/public/shows/the-show"]),
    ("https://ann.podbean.com/e/one/", ["https://feed.podbean.com/ann/feed.xml"]),
    ("https://www.buzzsprout.com/17/episodes/3", ["https://feeds.buzzsprout.com/17.rss"]),
    ("https://www.spreaker.com/show/17", ["https://www.spreaker.com/show/17/episodes/feed"]),
    (
        "https://www.spreaker.com/show/the-show--17",
        ["https://www.spreaker.com/show/17/episodes/feed"],
    ),
    (
        "https://www.spreaker.com/podcast/the-show--17",
        ["https://www.spreaker.com/show/17/episodes/feed"],
    ),
    ("https://ann.libsyn.com/one", ["https://ann.libsyn.com/rss"]),
    ("https://ann.podigee.io/1-one", ["https://ann.podigee.io/feed/mp3"]),
    ("https://ann.captivate.fm/episode/one", ["https://feeds.captivate.fm/ann/"]),
    ("https://ann.transistor.fm/1", ["https://feeds.transistor.fm/ann"]),
    ("https://rss.com/podcasts/ann/17", ["https://media.rss.com/ann/feed.xml"]),
    (
        "https://ann.livejournal.com/17.html",
        ["https://ann.livejournal.com/data/rss", "https://ann.livejournal.com/data/atom"],
    ),
    ("https://www.livejournal.com/users/ann/", ["https://ann.livejournal.com/data/rss"]),
    (
        "https://ann.typepad.com/tea/2024/one.html",
        ["https://ann.typepad.com/tea/atom.xml", "https://ann.typepad.com/tea/rss.xml"],
    ),
    (
        "https://ann.typepad.com/",
        ["https://ann.typepad.com/atom.xml", "https://ann.typepad.com/rss.xml"],
    ),
    ("https://note.com/ann/n/n17", ["https://note.com/ann/rss"]),
    ("https://note.com/ann/m/m17", ["https://note.com/ann/m/m17/rss"]),
    (
        "https://ann.hatenablog.com/entry/one",
        ["https://ann.hatenablog.com/feed", "https://ann.hatenablog.com/rss"],
    ),
    ("https://b.hatena.ne.jp/hotentry/it", ["https://b.hatena.ne.jp/hotentry/it.rss"]),
    ("https://b.hatena.ne.jp/ann/", ["https://b.hatena.ne.jp/ann/bookmark.rss"]),
    ("https://ameblo.jp/ann/entry-17.html", ["https://rssblog.ameba.jp/ann/rss20.xml"]),
    ("https://zenn.dev/ann/articles/17", ["https://zenn.dev/ann/feed"]),
    ("https://zenn.dev/topics/python", ["https://zenn.dev/topics/python/feed"]),
    ("https://zenn.dev/", ["https://zenn.dev/feed"]),
    ("https://qiita.com/ann/items/17", ["https://qiita.com/ann/feed"]),
    ("https://qiita.com/tags/python", ["https://qiita.com/tags/python/feed"]),
    (
        "https://qiita.com/organizations/loom",
        ["https://qiita.com/organizations/loom/activities.atom"],
    ),
    ("https://qiita.com/", ["https://qiita.com/popular-items/feed"]),
    ("https://velog.io/@ann/one", ["https://v2.velog.io/rss/@ann"]),
    (
        "https://users.livejournal.com/-ann/17.html",
        [
            "https://users.livejournal.com/-ann/data/rss",
            "https://users.livejournal.com/-ann/data/atom",
        ],
    ),
    ("https://blog.naver.com/PostList.naver?blogId=ann", ["https://rss.blog.naver.com/ann.xml"]),
    ("https://blog.naver.com/ann/17", ["https://rss.blog.naver.com/ann.xml"]),
    ("https://ann.tistory.com/17", ["https://ann.tistory.com/rss"]),
    (
        "https://habr.com/ru/hubs/python/articles/",
        ["https://habr.com/ru/rss/hubs/python/articles/"],
    ),
    (
        "https://habr.com/ru/companies/loom/articles/17/",
        ["https://habr.com/ru/rss/companies/loom/articles/"],
    ),
    (
        "https://habr.com/en/users/ann/",
        ["https://habr.com/en/rss/users/ann/publications/articles/"],
    ),
    ("https://habr.com/", ["https://habr.com/ru/rss/articles/"]),
    (
        "https://habr.com/ru/articles/17/",
        ["https://habr.com/ru/rss/articles/", "https://habr.com/ru/rss/best/daily/"],
    ),
    ("https://write.as/ann/one", ["https://write.as/ann/feed/"]),
    ("https://ann.mataroa.blog/blog/one/", ["https://ann.mataroa.blog/rss/"]),
    ("https://listed.to/@ann/17/one", ["https://listed.to/@ann/feed.rss"]),
    ("https://pypi.org/project/loom/1.0/", ["https://pypi.org/rss/project/loom/releases.xml"]),
    (
        "https://packagist.org/packages/ann/loom",
        ["https://packagist.org/feeds/package.ann/loom.rss"],
    ),
    ("https://packagist.org/packages/ann/", ["https://packagist.org/feeds/vendor.ann.rss"]),
    (
        "https://rubygems.org/gems/loom/versions/1.0",
        ["https://rubygems.org/gems/loom/versions.atom"],
    ),
    ("https://lib.rs/crates/loom", ["https://static.crates.io/rss/crates/loom.xml"]),
    ("https://docs.rs/loom/latest/loom/", ["https://static.crates.io/rss/crates/loom.xml"]),
    (
        "https://sourceforge.net/projects/loom/files/",
        [
            "https://sourceforge.net/projects/loom/rss?path=/",
            "https://sourceforge.net/p/loom/activity/feed.rss",
        ],
    ),
    ("https://sourceforge.net/p/loom/code/", ["https://sourceforge.net/p/loom/activity/feed.rss"]),
    (
        "https://launchpad.net/loom",
        [
            "https://feeds.launchpad.net/loom/announcements.atom",
            "https://feeds.launchpad.net/loom/latest-bugs.atom",
        ],
    ),
    ("https://launchpad.net/~ann", ["https://feeds.launchpad.net/~ann/revisions.atom"]),
    (
        "https://www.goodreads.com/user/show/17-ann",
        [
            "https://www.goodreads.com/user/updates_rss/17",
            "https://www.goodreads.com/review/list_rss/17",
        ],
    ),
    (
        "https://www.goodreads.com/review/list/17-ann?shelf=read",
        [
            "https://www.goodreads.com/review/list_rss/17?shelf=read",
            "https://www.goodreads.com/review/list_rss/17",
        ],
    ),
    ("https://www.goodreads.com/review/list/17", ["https://www.goodreads.com/review/list_rss/17"]),
    ("https://pinboard.in/u:ann/", ["https://feeds.pinboard.in/rss/u:ann/"]),
    ("https://pinboard.in/popular/", ["https://feeds.pinboard.in/rss/popular/"]),
    ("https://pinboard.in/recent/", ["https://feeds.pinboard.in/rss/recent/"]),
    ("https://www.bitchute.com/channel/ann/", ["https://www.bitchute.com/feeds/rss/channel/ann/"]),
    ("https://www.biorxiv.org/collection/genomics", [f"{_CONNECT}genomics"]),
    (
        "https://www.biorxiv.org/collection/cancer-biology",
        [f"{_CONNECT}cancer_biology", f"{_CONNECT}cancer_and_biology"],
    ),
    ("https://www.biorxiv.org/", [f"{_CONNECT}all"]),
    ("https://www.biorxiv.org/content/early/recent", [f"{_CONNECT}all"]),
    (
        "https://www.medrxiv.org/collection/health-policy",
        [
            "https://connect.medrxiv.org/medrxiv_xml.php?subject=health_policy",
            "https://connect.medrxiv.org/medrxiv_xml.php?subject=health_and_policy",
        ],
    ),
    (
        "https://www.medrxiv.org/collection/oncology",
        ["https://connect.medrxiv.org/medrxiv_xml.php?subject=oncology"],
    ),
    (
        "https://us1.campaign-archive.com/home/?u=a1&id=b2",
        ["https://us1.campaign-archive.com/feed?u=a1&id=b2"],
    ),
    ("https://en.wikipedia.org/wiki/Tea", [_HISTORY]),
    ("https://en.wikipedia.org/w/index.php?title=Tea&action=history", [_HISTORY]),
    ("https://f-droid.org/en/news/", ["https://f-droid.org/feed.xml"]),
]

# For each of them a host that looks alike, and pages of theirs that have no feed.
_HOSTS = """
    podcasts.apple.com overcast.fm pca.st shows.acast.com ann.podbean.com buzzsprout.com
    spreaker.com ann.libsyn.com ann.podigee.io ann.captivate.fm ann.transistor.fm rss.com
    ann.livejournal.com ann.typepad.com note.com ann.hatenablog.com b.hatena.ne.jp
    ameblo.jp zenn.dev qiita.com velog.io blog.naver.com ann.tistory.com habr.com write.as
    ann.mataroa.blog listed.to pypi.org packagist.org rubygems.org lib.rs sourceforge.net
    launchpad.net goodreads.com pinboard.in bitchute.com biorxiv.org medrxiv.org
    us1.campaign-archive.com en.wikipedia.org f-droid.org npmjs.com pubmed.ncbi.nlm.nih.gov
"""
MORE_NOT_MATCHING = [
    *(f"https://{host}.evil.example/ann" for host in _HOSTS.split()),
    "https://podcasts.apple.com/us/browse",
    "https://overcast.fm/podcasts",
    "https://www.podbean.com/pricing",
    "https://www.libsyn.com/plans",
    "https://www.buzzsprout.com/pricing",
    "https://www.tistory.com/",
    "https://note.com/search",
    "https://zenn.dev/search",
    "https://qiita.com/login",
    "https://pypi.org/search/",
    "https://www.npmjs.com/package/loom",
    "https://www.goodreads.com/book/show/17",
    "https://pinboard.in/tour/",
    "https://www.bitchute.com/video/17/",
    "https://en.wikipedia.org/wiki/Special:Search",
    "https://us1.campaign-archive.com/home/",
    "https://f-droid.org/packages/org.example.loom/",
    "https://pubmed.ncbi.nlm.nih.gov/17/",
]

# The address, what its page holds, and the feeds.
MORE_WITH_PAGE = [
    # What is no web address is not taken from the data.
    ("https://podcasts.apple.com/us/podcast/x/id17", '"feedUrl":"javascript:alert(1)"', [_LOOKUP]),
    ("https://podcasts.apple.com/us/podcast/x/id17", '"feedUrl":"file:///etc/passwd"', [_LOOKUP]),
    ("https://overcast.fm/+abc/12:30", '<a href="/itunes17/the-show">', [_LOOKUP]),
    (
        "https://shop.example/blogs/tea/one",
        '<link href="//cdn.shopify.com/s/files/x.css">',
        ["https://shop.example/blogs/tea.atom"],
    ),
    (
        "https://shop.example/collections/pots",
        "Shopify.theme = {}",
        ["https://shop.example/collections/pots.atom"],
    ),
    ("https://shop.example/", "Shopify.theme = {}", ["https://shop.example/blogs/news.atom"]),
    (
        "https://shop.example/",
        'Shopify.theme = {} <a href="/blogs/recipes/tea">',
        ["https://shop.example/blogs/recipes.atom"],
    ),
    (
        "https://pca.st/podcast/0a1b-2c",
        '<a href="https://podcasts.apple.com/us/podcast/the-show/id17">',
        [_LOOKUP],
    ),
    (
        "https://arxiv.org/abs/2401.00001",
        '<span class="primary-subject">Artificial Intelligence (cs.AI)</span>',
        ["https://rss.arxiv.org/rss/cs.AI", "https://rss.arxiv.org/atom/cs.AI"],
    ),
    (
        "https://site.example/journal/one/",
        '<script data-ghost="https://site.example/journal/" data-key="x"></script>',
        ["https://site.example/journal/rss/", "https://site.example/rss/"],
    ),
    (
        "https://www.npmjs.com/package/@ann/loom",
        '{"repository":"git+https://github.com/ann/loom.git"}',
        ["https://github.com/ann/loom/releases.atom", "https://github.com/ann/loom/tags.atom"],
    ),
    (
        "https://www.npmjs.com/package/loom",
        '<a aria-labelledby="repository" class="x" href="https://github.com/ann/loom">',
        ["https://github.com/ann/loom/releases.atom", "https://github.com/ann/loom/tags.atom"],
    ),
    (
        "https://pubmed.ncbi.nlm.nih.gov/?term=tea",
        '<input value="https://pubmed.ncbi.nlm.nih.gov/rss/search/1abcDEF_-23/?limit=15">',
        ["https://pubmed.ncbi.nlm.nih.gov/rss/search/1abcDEF_-23/?limit=15"],
    ),
]

MORE_EXTERNAL = [
    ("https://www.facebook.com/loom", "facebook/page/loom"),
    ("https://www.facebook.com/pg/loom/posts/", "facebook/page/loom"),
    ("https://www.facebook.com/groups/loom", None),
    ("https://www.linkedin.com/company/loom/", "linkedin/company/loom/posts"),
    ("https://www.linkedin.com/in/ann/", None),
    ("https://f-droid.org/en/packages/org.example.loom/", "fdroid/apprelease/org.example.loom"),
    ("https://www.npmjs.com/package/@ann/loom", "npm/package/@ann/loom"),
    ("https://facebook.com.evil.example/loom", None),
]

# The address, its own feed, and the feeds that its page names, with their labels.
OF_ADDRESS = [
    (
        "https://pypi.org/project/loom/",
        "https://pypi.org/rss/project/loom/releases.xml",
        {
            "https://pypi.org/rss/updates.xml": "RSS: 40 latest updates",
            "https://pypi.org/rss/project/loom/releases.xml": "RSS: latest releases for loom",
        },
    ),
    (
        "https://github.com/ann/loom",
        "https://github.com/ann/loom/releases.atom",
        {"https://github.com/ann/loom/commits/main.atom": "Recent commits to loom:main"},
    ),
    (
        "https://en.wikipedia.org/wiki/Tea",
        "https://en.wikipedia.org/w/index.php?title=Tea&action=history&feed=atom",
        {"https://en.wikipedia.org/w/index.php?title=Special:RecentChanges&feed=atom": ""},
    ),
    (
        "https://ann.wordpress.com/category/tea/",
        "https://ann.wordpress.com/category/tea/feed/",
        {
            "https://ann.wordpress.com/feed/": "Ann &raquo; Feed",
            "https://ann.wordpress.com/category/tea/feed/": "Ann &raquo; tea Category Feed",
        },
    ),
]
