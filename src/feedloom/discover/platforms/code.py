"""Code forges and package indexes: releases, tags, commits and activity."""

from feedloom.discover.platforms.matcher import name_but, platform, rule

_OWNER = name_but(
    "about account apps codespaces collections contact customer-stories dashboard "
    "enterprise events explore features issues join login logout marketplace new "
    "notifications orgs organizations pricing pulls readme search security sessions "
    "settings showcases signup site solutions sponsors stars team topics trending users "
    "watching help admin groups projects snippets - api assets user repo milestones import",
    group="owner",
)
_REPO = rf"/{_OWNER}/(?P<repo>[\w.-]+?)(?:\.git)?"

# A branch may have slashes in its name, and behind it a path may follow.
_BRANCH = r"(?P<branch>[\w.-]+)"
_LONG_BRANCH = rf"(?P<whole>{_BRANCH}/[\w./-]+)"

_GITHUB_HOME = "https://github.com/{owner}/{repo}"
GITHUB = platform(
    "github",
    rule(_REPO + "/tags", (_GITHUB_HOME + "/tags.atom", "Tags")),
    rule(
        _REPO + rf"/(?:commits|tree)/{_LONG_BRANCH}",
        (_GITHUB_HOME + "/commits/{branch}.atom", "Commits of {branch}"),
        (_GITHUB_HOME + "/commits/{whole}.atom", "Commits of {whole}"),
        (_GITHUB_HOME + "/releases.atom", "Releases"),
    ),
    rule(
        _REPO + rf"/(?:commits|tree|blob)/{_BRANCH}(?:/.*)?",
        (_GITHUB_HOME + "/commits/{branch}.atom", "Commits of {branch}"),
        (_GITHUB_HOME + "/releases.atom", "Releases"),
    ),
    rule(_REPO + "/commits", (_GITHUB_HOME + "/commits.atom", "Commits")),
    rule(
        _REPO + r"/(?P<part>wiki|discussions)(?:/.*)?",
        (_GITHUB_HOME + "/{part}.atom", "Changes"),
        (_GITHUB_HOME + "/releases.atom", "Releases"),
    ),
    rule(
        _REPO + r"(?:/.*)?",
        (_GITHUB_HOME + "/releases.atom", "Releases"),
        (_GITHUB_HOME + "/commits.atom", "Commits"),
        (_GITHUB_HOME + "/tags.atom", "Tags"),
    ),
    rule(r"/orgs/(?P<owner>[\w-]+)(?:/.*)?", ("https://github.com/{owner}.atom", "Activity")),
    rule(f"/{_OWNER}", ("{origin}/{owner}.atom", "Activity")),
    hosts="github.com www.github.com",
)

GIST = platform(
    "gist",
    rule(f"/{_OWNER}(?:/.*)?", ("{origin}/{owner}.atom", "Gists of {owner}")),
    hosts="gist.github.com",
)

_PROJECT = rf"(?P<project>/{_OWNER}(?:/(?!-(?:/|$))[\w.-]+?)+)(?:\.git)?"
GITLAB = platform(
    "gitlab",
    rule(_PROJECT + r"/-/tags(?:/.*)?", ("{origin}{project}/-/tags?format=atom", "Tags")),
    rule(
        _PROJECT + rf"/-/(?:commits|tree)/{_LONG_BRANCH}",
        ("{origin}{project}/-/commits/{branch}?format=atom", "Commits of {branch}"),
        ("{origin}{project}/-/commits/{whole}?format=atom", "Commits of {whole}"),
        ("{origin}{project}/-/releases.atom", "Releases"),
    ),
    rule(
        _PROJECT + rf"/-/(?:commits|tree|blob)/{_BRANCH}(?:/.*)?",
        ("{origin}{project}/-/commits/{branch}?format=atom", "Commits of {branch}"),
        ("{origin}{project}/-/releases.atom", "Releases"),
    ),
    rule(
        _PROJECT + r"/-/(?P<part>issues|merge_requests)(?:/.*)?",
        ("{origin}{project}/-/{part}.atom", "Changes"),
        ("{origin}{project}/-/releases.atom", "Releases"),
    ),
    rule(
        _PROJECT + r"(?:/-/.*)?",
        ("{origin}{project}/-/releases.atom", "Releases"),
        ("{origin}{project}/-/tags?format=atom", "Tags"),
        ("{origin}{project}.atom", "Activity"),
    ),
    rule(f"/{_OWNER}", ("{origin}/{owner}.atom", "Activity")),
    hosts="gitlab.com www.gitlab.com",
    marks=('content="gitlab"',),
)

_FORGE_REPO = "{origin}/{owner}/{repo}"
FORGEJO = platform(
    "forgejo",
    rule(_REPO + "/tags", (_FORGE_REPO + "/tags.rss", "Tags")),
    rule(
        _REPO + r"/(?:commits|src)/branch/(?P<branch>[\w.-]+)(?:/.*)?",
        (_FORGE_REPO + "/rss/branch/{branch}", "Commits of {branch}"),
        (_FORGE_REPO + "/releases.rss", "Releases"),
    ),
    rule(
        _REPO + r"(?:/.*)?",
        (_FORGE_REPO + "/releases.rss", "Releases"),
        (_FORGE_REPO + ".rss", "Activity"),
        (_FORGE_REPO + "/tags.rss", "Tags"),
    ),
    rule(f"/{_OWNER}", ("{origin}/{owner}.rss", "Activity")),
    hosts="codeberg.org gitea.com git.disroot.org gitea.it",
    generators="gitea forgejo",
    marks=("git,self-hosted,gitea", "git,self-hosted,forgejo", "git,forge,forgejo"),
)

SOURCEHUT = platform(
    "sourcehut",
    rule(
        r"/(?P<repo>~[\w.-]+/[\w.-]+)(?:/(?:refs|tree|log).*)?",
        ("{origin}/{repo}/refs/rss.xml", "Tags"),
        ("{origin}/{repo}/log/rss.xml", "Commits"),
    ),
    hosts="git.sr.ht hg.sr.ht lists.sr.ht",
)

CRATES = platform(
    "crates.io",
    rule(
        r"/crates/(?P<name>[\w-]+)(?:/.*)?",
        ("https://static.crates.io/rss/crates/{name}.xml", "Releases"),
    ),
    hosts="crates.io www.crates.io",
)

PROVIDERS = (GITHUB, GIST, GITLAB, FORGEJO, SOURCEHUT, CRATES)
