"""Software that leaves marks in its pages, on hosts of people's own."""

from tests.corpus.sites.building import Shape, atom, html, link, page, rss, site


def _generator(name: str, path: str, **rest) -> Shape:
    head = f'<meta name="generator" content="{name}">'
    return site(
        f"{name} without a link",
        "the generator says where its feed is",
        {"/": html(head), path: rss()},
        **({"canonical": f"{{base0}}{path}", "origin": "platform"} | rest),
    )


SHAPES = (
    _generator("WordPress 6.7", "/feed/"),
    _generator("Ghost 5.98", "/rss/"),
    _generator("Hugo 0.139.0", "/index.xml"),
    _generator("Jekyll v4.3", "/feed.xml"),
    _generator("Pelican", "/feeds/all.atom.xml"),
    _generator("Discourse 3.4 - https://github.com/discourse/discourse", "/latest.rss"),
    _generator("blogger", "/feeds/posts/default"),
    _generator("Wix.com Website Builder", "/blog-feed.xml"),
    _generator("Movable Type Pro 7", "/atom.xml"),
    _generator("Typecho 1.2", "/feed/"),
    _generator("Textpattern CMS", "/rss/"),
    _generator("Serendipity 2.4", "/feeds/index.rss2"),
    _generator("Dotclear", "/feed/atom"),
    _generator("SPIP 4.2.9", "/spip.php?page=backend"),
    _generator("Discuz! X3.4", "/forum.php?mod=rss"),
    _generator("PluXml", "/feed.php?rss"),
    _generator("BlogEngine.NET 3.3", "/syndication.axd"),
    _generator("emlog", "/rss.php"),
    _generator("mkdocs-1.5, mkdocs-material-9", "/feed_rss_created.xml"),
    _generator("Zola", "/atom.xml"),
    _generator("Nikola (getnikola.com)", "/rss.xml"),
    _generator("Eleventy v2.0", "/feed.xml"),
    _generator("DokuWiki", "/feed.php"),
    _generator("Plone - https://plone.org/", "/RSS"),
    _generator("vBulletin 4.2", "/external.php?type=RSS2"),
    _generator("MyBB", "/syndication.php"),
    _generator("NodeBB", "/recent.rss"),
    _generator("Flarum", "/atom"),
    _generator("Webflow", "/blog/rss.xml"),
    _generator("HubSpot", "/blog/rss.xml"),
    _generator("Arc", "/arc/outboundfeeds/rss/?outputType=xml"),
    site(
        "wordpress in a folder",
        "its own API link tells the folder",
        {
            "/journal/a-walk/": html(
                '<link rel="https://api.w.org/" href="{base0}/journal/wp-json/">'
            ),
            "/journal/feed/": rss(site_path="/journal/"),
        },
        pasted="{base0}/journal/a-walk/",
        canonical="{base0}/journal/feed/",
        origin="platform",
    ),
    site(
        "wordpress by its theme",
        "no generator, but the path of a theme",
        {"/": html('<link rel=stylesheet href="/wp-content/themes/x/style.css">'), "/feed/": rss()},
        canonical="{base0}/feed/",
        origin="platform",
    ),
    site(
        "ghost tag page",
        "a tag of a Ghost site",
        {
            "/tag/tea/": html('<meta name="generator" content="Ghost 5.98">'),
            "/tag/tea/rss/": rss("Tea"),
            "/rss/": rss(),
        },
        pasted="{base0}/tag/tea/",
        canonical="{base0}/tag/tea/rss/",
        origin="platform",
        also=("{base0}/rss/",),
    ),
    site(
        "substack on a domain of its own",
        "the page's scripts tell the platform",
        {
            "/p/a-walk": html(
                '<script src="https://substackcdn.com/bundle/static/js/main.js"></script>'
            ),
            "/feed": rss(),
        },
        pasted="{base0}/p/a-walk",
        canonical="{base0}/feed",
        origin="platform",
    ),
    site(
        "medium on a domain of its own",
        "a meta tag tells the platform",
        {
            "/a-walk-1a2b": html('<meta property="al:ios:app_name" content="Medium">'),
            "/feed": rss(),
        },
        pasted="{base0}/a-walk-1a2b",
        canonical="{base0}/feed",
        origin="platform",
    ),
    site(
        "discourse topic",
        "a person who pastes a topic means the topic",
        {
            "/t/tea-or-coffee/17/4": html('<meta name="generator" content="Discourse 3.4">'),
            "/t/tea-or-coffee/17.rss": rss("Tea or coffee"),
            "/latest.rss": rss("Forum"),
        },
        pasted="{base0}/t/tea-or-coffee/17/4",
        canonical="{base0}/t/tea-or-coffee/17.rss",
        origin="platform",
        also=("{base0}/latest.rss",),
    ),
    site(
        "mastodon profile",
        "the page names the account's ActivityPub document, but no feed",
        {
            "/@ann": html(
                '<link rel="alternate" type="application/activity+json" href="/users/ann">'
            ),
            "/@ann.rss": rss("Ann", site_path="/@ann"),
        },
        pasted="{base0}/@ann",
        canonical="{base0}/@ann.rss",
        origin="platform",
    ),
    site(
        "lemmy community",
        "a community of a Lemmy server",
        {
            "/c/tea": html('<meta name="description" content="Lemmy">'),
            "/feeds/c/tea.xml?sort=New": rss("Tea", site_path="/c/tea"),
        },
        pasted="{base0}/c/tea",
        canonical="{base0}/feeds/c/tea.xml?sort=New",
        origin="platform",
    ),
    site(
        "forge repository",
        "a repository on a forge: releases before activity",
        {
            "/ann/loom": html('<meta name="keywords" content="go,git,self-hosted,forgejo">'),
            "/ann/loom/releases.rss": rss("Releases", site_path="/ann/loom/releases"),
            "/ann/loom.rss": rss("Activity", site_path="/ann/loom"),
        },
        pasted="{base0}/ann/loom",
        canonical="{base0}/ann/loom/releases.rss",
        origin="platform",
        also=("{base0}/ann/loom.rss",),
    ),
    site(
        "gitlab project",
        "a project on a GitLab of one's own",
        {
            "/ann/loom": html('<meta content="GitLab" property="og:site_name">'),
            "/ann/loom/-/releases.atom": atom("Releases", site_path="/ann/loom/-/releases"),
            "/ann/loom/-/tags?format=atom": atom("Tags", items=0),
        },
        pasted="{base0}/ann/loom",
        canonical="{base0}/ann/loom/-/releases.atom",
        origin="platform",
    ),
    site(
        "peertube channel",
        "a video channel",
        {
            "/c/ann_channel/videos": html('<meta property="og:platform" content="PeerTube" />'),
            "/feeds/videos.xml?videoChannelName=ann_channel": rss("Ann's videos"),
        },
        pasted="{base0}/c/ann_channel/videos",
        canonical="{base0}/feeds/videos.xml?videoChannelName=ann_channel",
        origin="platform",
    ),
    site(
        "squarespace blog",
        "the feed is the page in another format",
        {
            "/journal": html("<!-- This is Squarespace. -->"),
            "/journal?format=rss": rss(site_path="/journal"),
        },
        pasted="{base0}/journal",
        canonical="{base0}/journal?format=rss",
        origin="platform",
    ),
    site(
        "platform and link agree",
        "the same feed from two sources is one candidate, the more trusted",
        {
            "/": html('<meta name="generator" content="WordPress 6.7">' + link("/feed/")),
            "/feed/": rss(),
        },
        canonical="{base0}/feed/",
        origin="html",
    ),
    site(
        "wrong mark",
        "a page about a platform is not of it: what the mark offers does not validate",
        {
            "/": html("", page("", "<p>How to leave /wp-content/themes/ behind</p>")),
            "/rss.xml": rss(),
        },
        canonical="{base0}/rss.xml",
        origin="guess",
    ),
)
