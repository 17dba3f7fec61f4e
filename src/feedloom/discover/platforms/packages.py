"""Package indexes: new versions of what people publish there."""

from feedloom.discover.platforms.matcher import Provider, by_host, name_but, rule

_VERSIONS = "Versions"

PROVIDERS: tuple[Provider, ...] = (
    by_host(
        "pypi",
        "pypi.org www.pypi.org",
        rule(
            r"/project/(?P<name>[\w.-]+)(?:/.*)?",
            ("https://pypi.org/rss/project/{name}/releases.xml", _VERSIONS),
        ),
    ),
    by_host(
        "packagist",
        "packagist.org www.packagist.org",
        rule(
            r"/packages/(?P<name>[\w.-]+/[\w.-]+)",
            ("https://packagist.org/feeds/package.{name}.rss", _VERSIONS),
        ),
        rule(
            r"/packages/(?P<name>[\w.-]+)",
            ("https://packagist.org/feeds/vendor.{name}.rss", "{name}"),
        ),
    ),
    by_host(
        "rubygems",
        "rubygems.org www.rubygems.org",
        rule(
            r"/gems/(?P<name>[\w.-]+)(?:/.*)?",
            ("https://rubygems.org/gems/{name}/versions.atom", _VERSIONS),
        ),
    ),
    by_host(
        "crates",
        "lib.rs docs.rs",
        rule(
            "/(?:crates?/)?"
            + name_but("about releases search keywords crates crate", chars=r"[\w-]+")
            + "(?:/.*)?",
            ("https://static.crates.io/rss/crates/{name}.xml", _VERSIONS),
        ),
    ),
    # It has no feeds of its own: the page names the repository, which has.
    by_host(
        "npm",
        "npmjs.com www.npmjs.com",
        rule(
            r"/package/(?:@[\w.-]+/)?[\w.-]+(?:/.*)?",
            ("https://github.com/{repo}/releases.atom", "Releases"),
            ("https://github.com/{repo}/tags.atom", "Tags"),
            page=(
                r'"repository\\?":\s?\\?"(?:git\+)?https://github\.com/(?P<repo>[\w.-]{1,99}/[\w.-]{1,99}?)(?:\.git)?\\?"',
                r'labelledby="[^"]{0,99}repository[^"]{0,99}"[^>]{0,300}href="https://github\.com/(?P<repo>[\w.-]{1,99}/[\w.-]{1,99}?)(?:\.git)?"',
            ),
        ),
    ),
    by_host(
        "sourceforge",
        "sourceforge.net www.sourceforge.net",
        rule(
            r"/projects/(?P<name>[\w-]+)(?:/.*)?",
            ("https://sourceforge.net/projects/{name}/rss?path=/", "Files"),
            ("https://sourceforge.net/p/{name}/activity/feed.rss", "Activity"),
        ),
        rule(
            r"/p/(?P<name>[\w-]+)(?:/.*)?",
            ("https://sourceforge.net/p/{name}/activity/feed.rss", "Activity"),
        ),
    ),
    by_host(
        "launchpad",
        "launchpad.net www.launchpad.net",
        rule(
            r"/(?P<name>~[\w.+-]+)",
            ("https://feeds.launchpad.net/{name}/revisions.atom", "Revisions"),
        ),
        rule(
            "/"
            + name_but("projects people bugs builders distros search", chars=r"[\w.+-]+")
            + "(?:/.*)?",
            ("https://feeds.launchpad.net/{name}/announcements.atom", "Announcements"),
            ("https://feeds.launchpad.net/{name}/latest-bugs.atom", "Bugs"),
        ),
    ),
)
