"""Site generators and content systems, known by what they write into every page.

Unlike the named platforms these live on any host, so every mark is looked for in the
page. A wrong match costs a request, never a wrong feed: what is offered is validated.
"""

import re

from feedloom.discover.platforms.matching import Provider, rule


def _software(name: str, mark: str, *feeds: tuple[str, str]) -> Provider:
    return Provider(name=name, mark=re.compile(mark), rules=(rule("/.*", *feeds),))


SQUARESPACE = Provider(
    name="squarespace",
    mark=re.compile(r"(?i)<!-- This is Squarespace|static1\.squarespace\.com/static/"),
    rules=(
        rule(r"/[\w-]+", ("{origin}{path}?format=rss", "Posts")),
        rule(
            r"/(?P<blog>[\w-]+)/.*",
            ("{origin}/{blog}?format=rss", "Posts"),
        ),
        rule("/", ("{origin}/blog?format=rss", "Posts")),
    ),
)

PROVIDERS = (
    SQUARESPACE,
    _software(
        "wix",
        r"(?i)generator: wix\.com|static\.parastorage\.com/",
        ("{origin}/blog-feed.xml", "Posts"),
    ),
    _software("hugo", r"(?i)generator: hugo\b", ("{origin}/index.xml", "Posts")),
    _software("jekyll", r"(?i)generator: jekyll\b", ("{origin}/feed.xml", "Posts")),
    _software("hexo", r"(?i)generator: hexo\b", ("{origin}/atom.xml", "Posts")),
    _software("gatsby", r"(?i)generator: gatsby\b", ("{origin}/rss.xml", "Posts")),
    _software("astro", r"(?i)generator: astro\b", ("{origin}/rss.xml", "Posts")),
    _software("drupal", r"(?i)generator: drupal\b", ("{origin}/rss.xml", "Posts")),
    _software(
        "pelican",
        r"(?i)generator: pelican\b",
        ("{origin}/feeds/all.atom.xml", "Posts"),
    ),
    _software(
        "docusaurus",
        r"(?i)generator: docusaurus\b",
        ("{origin}/blog/atom.xml", "Posts"),
        ("{origin}/blog/rss.xml", "Posts"),
    ),
    _software(
        "joomla",
        r"(?i)generator: joomla",
        ("{origin}{path}/?format=feed&type=rss", "Articles"),
        ("{origin}{path}/?format=feed&type=atom", "Articles"),
    ),
    _software(
        "mediawiki",
        r"(?i)generator: mediawiki\b",
        ("{origin}/index.php?title=Special:NewPages&feed=atom", "New pages"),
        ("{origin}/index.php?title=Special:RecentChanges&feed=atom", "Changes"),
    ),
    _software("phpbb", r"(?i)id=\"phpbb\"", ("{origin}/app.php/feed", "Posts")),
    _software(
        "xenforo",
        r"(?i)<html id=\"XF\"|data-xf-init=",
        ("{origin}/forums/-/index.rss", "Threads"),
    ),
    _software(
        "writefreely",
        r"(?i)generator: writefreely\b",
        ("{origin}{path}/feed/", "Posts"),
    ),
)
