"""Package indexes: new versions of what people publish there."""

from feedloom.discover.platforms.matcher import Provider, name_but, platform, rule

_VERSIONS = "Versions"

PROVIDERS: tuple[Provider, ...] = (
    platform(
        "pypi",
        rule(
            r"/project/(?P<name>[\w.-]+)(?:/.*)?",
            ("https://pypi.org/rss/project/{name}/releases.xml", _VERSIONS),
        ),
        hosts="pypi.org www.pypi.org",
    ),
    platform(
        "packagist",
        rule(
            r"/packages/(?P<name>[\w.-]+/[\w.-]+)",
            ("https://packagist.org/feeds/package.{name}.rss", _VERSIONS),
        ),
        rule(
            r"/packages/(?P<name>[\w.-]+)",
            ("https://packagist.org/feeds/vendor.{name}.rss", "{name}"),
        ),
        hosts="packagist.org www.packagist.org",
    ),
    platform(
        "rubygems",
        rule(
            r"/gems/(?P<name>[\w.-]+)(?:/.*)?",
            ("https://rubygems.org/gems/{name}/versions.atom", _VERSIONS),
        ),
        hosts="rubygems.org www.rubygems.org",
    ),
    platform(
        "crates",
        rule(
            "/(?:crates?/)?"
            + name_but("about releases search keywords crates crate", chars=r"[\w-]+")
            + "(?:/.*)?",
            ("https://static.crates.io/rss/crates/{name}.xml", _VERSIONS),
        ),
        hosts="lib.rs docs.rs",
    ),
    # It has no feeds of its own: the page names the repository, which has.
    platform(
        "npm",
        rule(
            r"/package/(?:@[\w.-]+/)?[\w.-]+(?:/.*)?",
            ("https://github.com/{repo}/releases.atom", "Releases"),
            ("https://github.com/{repo}/tags.atom", "Tags"),
            page=(
                r'"repository\\?":\s?\\?"(?:git\+)?https://github\.com/(?P<repo>[\w.-]{1,99}/[\w.-]{1,99}?)(?:\.git)?\\?"',
                r'labelledby="[^"]{0,99}repository[^"]{0,99}"[^>]{0,300}href="https://github\.com/(?P<repo>[\w.-]{1,99}/[\w.-]{1,99}?)(?:\.git)?"',
            ),
        ),
        hosts="npmjs.com www.npmjs.com",
    ),
    platform(
        "sourceforge",
        rule(
            r"/projects/(?P<name>[\w-]+)(?:/.*)?",
            ("https://sourceforge.net/projects/{name}/rss?path=/", "Files"),
            ("https://sourceforge.net/p/{name}/activity/feed.rss", "Activity"),
        ),
        rule(
            r"/p/(?P<name>[\w-]+)(?:/.*)?",
            ("https://sourceforge.net/p/{name}/activity/feed.rss", "Activity"),
        ),
        hosts="sourceforge.net www.sourceforge.net",
    ),
    platform(
        "launchpad",
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
        hosts="launchpad.net www.launchpad.net",
    ),
)
