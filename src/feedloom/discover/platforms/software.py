"""Site generators and content systems, known by what they write into every page.

Unlike the named platforms these live on any host, so their marks are looked for in the
page. A wrong match costs a request, never a wrong feed: what is offered is validated.
"""

from feedloom.discover.platforms.matcher import Provider, rule


def _made_by(
    name: str, *feeds: tuple[str, str], marks: tuple[str, ...] = ()
) -> Provider:
    rules = (rule("/.*", *feeds),)
    return Provider(name=name, generators=frozenset({name}), marks=marks, rules=rules)


SQUARESPACE = Provider(
    name="squarespace",
    marks=("<!-- this is squarespace", "static1.squarespace.com/static/"),
    rules=(
        rule(r"/[\w-]+", ("{origin}{path}?format=rss", "Posts")),
        rule(r"/(?P<blog>[\w-]+)/.*", ("{origin}/{blog}?format=rss", "Posts")),
        rule("/", ("{origin}/blog?format=rss", "Posts")),
    ),
)

PROVIDERS = (
    SQUARESPACE,
    _made_by(
        "wix",
        ("{origin}/blog-feed.xml", "Posts"),
        marks=("static.parastorage.com/",),
    ),
    _made_by("hugo", ("{origin}/index.xml", "Posts")),
    _made_by("jekyll", ("{origin}/feed.xml", "Posts")),
    _made_by("hexo", ("{origin}/atom.xml", "Posts")),
    _made_by("gatsby", ("{origin}/rss.xml", "Posts")),
    _made_by("astro", ("{origin}/rss.xml", "Posts")),
    _made_by("drupal", ("{origin}/rss.xml", "Posts")),
    _made_by("pelican", ("{origin}/feeds/all.atom.xml", "Posts")),
    _made_by(
        "docusaurus",
        ("{origin}/blog/atom.xml", "Posts"),
        ("{origin}/blog/rss.xml", "Posts"),
    ),
    _made_by(
        "joomla",
        ("{origin}{path}/?format=feed&type=rss", "Articles"),
        ("{origin}{path}/?format=feed&type=atom", "Articles"),
    ),
    _made_by(
        "mediawiki",
        ("{origin}/index.php?title=Special:NewPages&feed=atom", "New pages"),
        ("{origin}/index.php?title=Special:RecentChanges&feed=atom", "Changes"),
    ),
    _made_by("phpbb", ("{origin}/app.php/feed", "Posts"), marks=('id="phpbb"',)),
    _made_by(
        "xenforo",
        ("{origin}/forums/-/index.rss", "Threads"),
        marks=('<html id="xf"', "data-xf-init="),
    ),
    _made_by("writefreely", ("{origin}{path}/feed/", "Posts")),
)
