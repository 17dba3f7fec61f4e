"""Address shapes of each provider: what matches, what only looks alike, what does not."""

_UC = "UCabcdefghijklmnopqrstuv"
_YT = "https://www.youtube.com/feeds/videos.xml"
_REDDIT = "https://www.reddit.com"
_HNRSS = "https://hnrss.org"
_GALLERY = "https://backend.deviantart.com/rss.xml?type=deviation&q="
_FLICKR = "https://www.flickr.com/services/feeds/photos_public.gne"

# The pasted address, and the feeds in the adapter's order.
MATCHING = [
    # YouTube
    (f"https://www.youtube.com/channel/{_UC}", [f"{_YT}?channel_id={_UC}"]),
    (f"https://youtube.com/channel/{_UC}/videos", [f"{_YT}?channel_id={_UC}"]),
    (f"http://m.youtube.com/channel/{_UC}?view=1", [f"{_YT}?channel_id={_UC}"]),
    ("https://www.youtube.com/playlist?list=PLabc-123", [f"{_YT}?playlist_id=PLabc-123"]),
    ("https://music.youtube.com/playlist?list=OLx", [f"{_YT}?playlist_id=OLx"]),
    ("https://www.youtube.com/user/ann", [f"{_YT}?user=ann"]),
    ("https://www.youtube.com/user/ann/videos", [f"{_YT}?user=ann"]),
    # Vimeo, Dailymotion, Odysee
    ("https://vimeo.com/ann", ["https://vimeo.com/ann/videos/rss"]),
    ("https://vimeo.com/channels/staffpicks", ["https://vimeo.com/channels/staffpicks/videos/rss"]),
    ("https://vimeo.com/groups/film", ["https://vimeo.com/groups/film/videos/rss"]),
    ("https://www.dailymotion.com/ann", ["https://www.dailymotion.com/rss/user/ann"]),
    ("https://odysee.com/@ann:1", ["https://odysee.com/$/rss/@ann:1"]),
    ("https://odysee.com/@ann:1/a-film:2", ["https://odysee.com/$/rss/@ann:1"]),
    # GitHub
    (
        "https://github.com/ann/loom",
        [f"https://github.com/ann/loom/{f}.atom" for f in ("releases", "commits", "tags")],
    ),
    (
        "https://github.com/ann/loom.git",
        [f"https://github.com/ann/loom/{f}.atom" for f in ("releases", "commits", "tags")],
    ),
    (
        "https://github.com/ann/loom/issues/7",
        [f"https://github.com/ann/loom/{f}.atom" for f in ("releases", "commits", "tags")],
    ),
    (
        "https://github.com/ann/loom/releases/tag/v1",
        [f"https://github.com/ann/loom/{f}.atom" for f in ("releases", "commits", "tags")],
    ),
    ("https://github.com/ann/loom/tags", ["https://github.com/ann/loom/tags.atom"]),
    ("https://github.com/ann/loom/commits", ["https://github.com/ann/loom/commits.atom"]),
    (
        "https://github.com/ann/loom/commits/main",
        [
            "https://github.com/ann/loom/commits/main.atom",
            "https://github.com/ann/loom/releases.atom",
        ],
    ),
    (
        "https://github.com/ann/loom/tree/dev/src",
        [
            "https://github.com/ann/loom/commits/dev.atom",
            "https://github.com/ann/loom/commits/dev/src.atom",
            "https://github.com/ann/loom/releases.atom",
        ],
    ),
    (
        "https://github.com/ann/loom/discussions/3",
        [
            "https://github.com/ann/loom/discussions.atom",
            "https://github.com/ann/loom/releases.atom",
        ],
    ),
    ("https://github.com/ann", ["https://github.com/ann.atom"]),
    ("https://github.com/orgs/looms/repositories", ["https://github.com/looms.atom"]),
    (
        "https://github.com/ann/loom/blob/main/src/read.me",
        [
            "https://github.com/ann/loom/commits/main.atom",
            "https://github.com/ann/loom/releases.atom",
        ],
    ),
    ("https://gist.github.com/ann", ["https://gist.github.com/ann.atom"]),
    ("https://gist.github.com/ann/0a1b2c", ["https://gist.github.com/ann.atom"]),
    # GitLab
    (
        "https://gitlab.com/ann/loom",
        [
            "https://gitlab.com/ann/loom/-/releases.atom",
            "https://gitlab.com/ann/loom/-/tags?format=atom",
            "https://gitlab.com/ann/loom.atom",
        ],
    ),
    (
        "https://gitlab.com/group/sub/loom/-/tree/main/src",
        [
            "https://gitlab.com/group/sub/loom/-/commits/main?format=atom",
            "https://gitlab.com/group/sub/loom/-/commits/main/src?format=atom",
            "https://gitlab.com/group/sub/loom/-/releases.atom",
        ],
    ),
    ("https://gitlab.com/ann/loom/-/tags", ["https://gitlab.com/ann/loom/-/tags?format=atom"]),
    (
        "https://gitlab.com/ann/loom/-/issues/3",
        [
            "https://gitlab.com/ann/loom/-/issues.atom",
            "https://gitlab.com/ann/loom/-/releases.atom",
        ],
    ),
    ("https://gitlab.com/ann", ["https://gitlab.com/ann.atom"]),
    # Forgejo and Gitea
    (
        "https://codeberg.org/ann/loom",
        [f"https://codeberg.org/ann/loom{f}" for f in ("/releases.rss", ".rss", "/tags.rss")],
    ),
    (
        "https://codeberg.org/ann/loom/src/branch/main/README.md",
        [
            "https://codeberg.org/ann/loom/rss/branch/main",
            "https://codeberg.org/ann/loom/releases.rss",
        ],
    ),
    ("https://codeberg.org/ann/loom/tags", ["https://codeberg.org/ann/loom/tags.rss"]),
    ("https://codeberg.org/ann", ["https://codeberg.org/ann.rss"]),
    # SourceHut, crates.io
    (
        "https://git.sr.ht/~ann/loom",
        ["https://git.sr.ht/~ann/loom/refs/rss.xml", "https://git.sr.ht/~ann/loom/log/rss.xml"],
    ),
    ("https://crates.io/crates/loom", ["https://static.crates.io/rss/crates/loom.xml"]),
    # Reddit
    ("https://www.reddit.com/r/tea", [f"{_REDDIT}/r/tea/.rss"]),
    ("https://old.reddit.com/r/tea/", [f"{_REDDIT}/r/tea/.rss"]),
    ("https://reddit.com/r/tea+coffee/", [f"{_REDDIT}/r/tea+coffee/.rss"]),
    (
        "https://www.reddit.com/r/tea/top/?t=week",
        [f"{_REDDIT}/r/tea/top/.rss?t=week", f"{_REDDIT}/r/tea/.rss"],
    ),
    (
        "https://www.reddit.com/r/tea/comments/1abc/which_pot/",
        [f"{_REDDIT}/r/tea/.rss", f"{_REDDIT}/r/tea/comments/1abc/.rss"],
    ),
    (
        "https://www.reddit.com/r/tea/search?q=pot%20lid",
        [
            f"{_REDDIT}/r/tea/search.rss?q=pot%20lid&restrict_sr=on&sort=new",
            f"{_REDDIT}/r/tea/.rss",
        ],
    ),
    ("https://www.reddit.com/search/?q=tea", [f"{_REDDIT}/search.rss?q=tea&sort=new"]),
    (
        "https://www.reddit.com/user/ann/",
        [f"{_REDDIT}/user/ann/.rss", f"{_REDDIT}/user/ann/submitted/.rss"],
    ),
    (
        "https://www.reddit.com/u/ann",
        [f"{_REDDIT}/user/ann/.rss", f"{_REDDIT}/user/ann/submitted/.rss"],
    ),
    (
        "https://www.reddit.com/user/ann/submitted/",
        [f"{_REDDIT}/user/ann/submitted/.rss", f"{_REDDIT}/user/ann/.rss"],
    ),
    ("https://www.reddit.com/r/tea/top/", [f"{_REDDIT}/r/tea/top/.rss", f"{_REDDIT}/r/tea/.rss"]),
    ("https://www.reddit.com/user/ann/m/drinks/", [f"{_REDDIT}/user/ann/m/drinks/.rss"]),
    ("https://www.reddit.com/", [f"{_REDDIT}/.rss"]),
    # Stack Exchange
    (
        "https://stackoverflow.com/questions/tagged/python",
        ["https://stackoverflow.com/feeds/tag/python"],
    ),
    (
        "https://cooking.stackexchange.com/tags/tea/info",
        ["https://cooking.stackexchange.com/feeds/tag/tea"],
    ),
    ("https://superuser.com/users/17/ann", ["https://superuser.com/feeds/user/17"]),
    (
        "https://askubuntu.com/questions/12/why-not",
        ["https://askubuntu.com/feeds/question/12", "https://askubuntu.com/feeds"],
    ),
    ("https://mathoverflow.net/", ["https://mathoverflow.net/feeds"]),
    ("https://meta.stackoverflow.com/questions", ["https://meta.stackoverflow.com/feeds"]),
    # Hacker News
    ("https://news.ycombinator.com/", ["https://news.ycombinator.com/rss", f"{_HNRSS}/frontpage"]),
    ("https://news.ycombinator.com/newest", [f"{_HNRSS}/newest"]),
    ("https://news.ycombinator.com/ask", [f"{_HNRSS}/ask"]),
    (
        "https://news.ycombinator.com/user?id=ann",
        [f"{_HNRSS}/submitted?id=ann", f"{_HNRSS}/user?id=ann"],
    ),
    ("https://news.ycombinator.com/threads?id=ann", [f"{_HNRSS}/threads?id=ann"]),
    ("https://news.ycombinator.com/item?id=17", [f"{_HNRSS}/item?id=17"]),
    # Lobsters
    ("https://lobste.rs/", ["https://lobste.rs/rss"]),
    ("https://lobste.rs/t/python", ["https://lobste.rs/t/python.rss"]),
    (
        "https://lobste.rs/~ann",
        ["https://lobste.rs/~ann/stories.rss", "https://lobste.rs/newest/ann.rss"],
    ),
    ("https://lobste.rs/newest", ["https://lobste.rs/newest.rss"]),
    # Lemmy on a known host
    ("https://lemmy.world/c/tea", ["https://lemmy.world/feeds/c/tea.xml?sort=New"]),
    (
        "https://lemmy.world/c/tea@beehaw.org",
        ["https://lemmy.world/feeds/c/tea@beehaw.org.xml?sort=New"],
    ),
    ("https://programming.dev/u/ann", ["https://programming.dev/feeds/u/ann.xml?sort=New"]),
    # Substack
    ("https://ann.substack.com/", ["https://ann.substack.com/feed"]),
    ("https://ann.substack.com/p/a-walk", ["https://ann.substack.com/feed"]),
    ("https://open.substack.com/pub/ann/p/a-walk?r=1", ["https://ann.substack.com/feed"]),
    # Medium
    ("https://medium.com/@ann", ["https://medium.com/feed/@ann"]),
    ("https://medium.com/@ann/a-walk-1a2b", ["https://medium.com/feed/@ann"]),
    ("https://medium.com/tag/tea", ["https://medium.com/feed/tag/tea"]),
    ("https://medium.com/tea-time", ["https://medium.com/feed/tea-time"]),
    ("https://medium.com/tea-time/a-walk-1a2b", ["https://medium.com/feed/tea-time"]),
    (
        "https://medium.com/tea-time/tagged/pots",
        ["https://medium.com/feed/tea-time/tagged/pots", "https://medium.com/feed/tea-time"],
    ),
    ("https://ann.medium.com/a-walk-1a2b", ["https://ann.medium.com/feed"]),
    # WordPress.com, Ghost, Blogger, Tumblr
    ("https://ann.wordpress.com/2024/05/a-walk/", ["https://ann.wordpress.com/feed/"]),
    ("https://ann.ghost.io/a-walk/", ["https://ann.ghost.io/rss/"]),
    (
        "https://ann.ghost.io/tag/tea/",
        ["https://ann.ghost.io/tag/tea/rss/", "https://ann.ghost.io/rss/"],
    ),
    (
        "https://ann.blogspot.com/2024/05/walk.html",
        [
            "https://ann.blogspot.com/feeds/posts/default",
            "https://ann.blogspot.com/feeds/posts/default?alt=rss",
        ],
    ),
    (
        "http://ann.blogspot.co.uk/search/label/Tea",
        [
            "http://ann.blogspot.co.uk/feeds/posts/default/-/Tea",
            "http://ann.blogspot.co.uk/feeds/posts/default",
        ],
    ),
    ("https://ann.tumblr.com/post/17/x", ["https://ann.tumblr.com/rss"]),
    (
        "https://ann.tumblr.com/tagged/tea",
        ["https://ann.tumblr.com/tagged/tea/rss", "https://ann.tumblr.com/rss"],
    ),
    ("https://www.tumblr.com/ann", ["https://ann.tumblr.com/rss"]),
    ("https://www.tumblr.com/blog/view/ann", ["https://ann.tumblr.com/rss"]),
    ("https://www.tumblr.com/ann/17/a-walk", ["https://ann.tumblr.com/rss"]),
    # Small blogs
    ("https://dev.to/ann", ["https://dev.to/feed/ann"]),
    ("https://dev.to/t/python", ["https://dev.to/feed/tag/python"]),
    ("https://buttondown.com/ann/archive/", ["https://buttondown.com/ann/rss"]),
    ("https://ann.hashnode.dev/a-walk", ["https://ann.hashnode.dev/rss.xml"]),
    (
        "https://ann.bearblog.dev/",
        ["https://ann.bearblog.dev/feed/", "https://ann.bearblog.dev/feed.xml"],
    ),
    # Bluesky
    ("https://bsky.app/profile/ann.example", ["https://bsky.app/profile/ann.example/rss"]),
    ("https://bsky.app/profile/did:plc:abc/post/1", ["https://bsky.app/profile/did:plc:abc/rss"]),
    # Pictures
    ("https://www.flickr.com/photos/12345@N00/", [f"{_FLICKR}?id=12345@N00&format=atom"]),
    ("https://www.flickr.com/photos/tags/tea", [f"{_FLICKR}?tags=tea&format=atom"]),
    ("https://www.deviantart.com/ann/gallery", [f"{_GALLERY}by%3Aann+sort%3Atime+meta%3Aall"]),
    ("https://ann.deviantart.com/", [f"{_GALLERY}by%3Aann+sort%3Atime+meta%3Aall"]),
    ("https://www.pinterest.com/ann/", ["https://www.pinterest.com/ann/feed.rss"]),
    (
        "https://www.pinterest.com/ann/pots/",
        ["https://www.pinterest.com/ann/pots.rss", "https://www.pinterest.com/ann/feed.rss"],
    ),
    ("https://letterboxd.com/ann/films/", ["https://letterboxd.com/ann/rss/"]),
    # Papers, games, projects
    (
        "https://arxiv.org/list/cs.AI/recent",
        ["https://rss.arxiv.org/rss/cs.AI", "https://rss.arxiv.org/atom/cs.AI"],
    ),
    (
        "https://arxiv.org/list/math/new",
        ["https://rss.arxiv.org/rss/math", "https://rss.arxiv.org/atom/math"],
    ),
    (
        "https://arxiv.org/archive/astro-ph",
        ["https://rss.arxiv.org/rss/astro-ph", "https://rss.arxiv.org/atom/astro-ph"],
    ),
    ("https://arxiv.org/a/warner_s_1", ["https://arxiv.org/a/warner_s_1.atom2"]),
    ("https://itch.io/games/tag-tea", ["https://itch.io/games/tag-tea.xml"]),
    ("https://itch.io/", ["https://itch.io/feed/featured.xml", "https://itch.io/feed/new.xml"]),
    ("https://ann.itch.io/loom", ["https://ann.itch.io/loom/devlog.rss"]),
    ("https://ann.itch.io/loom/devlog/17/news", ["https://ann.itch.io/loom/devlog.rss"]),
    (
        "https://store.steampowered.com/app/17/Loom/",
        ["https://store.steampowered.com/feeds/news/app/17/"],
    ),
    ("https://steamcommunity.com/groups/looms", ["https://steamcommunity.com/groups/looms/rss/"]),
    (
        "https://www.kickstarter.com/projects/ann/loom/posts",
        ["https://www.kickstarter.com/projects/ann/loom/posts.atom"],
    ),
]

# Look-alike hosts, and addresses of the right host that are no such page.
NOT_MATCHING = [
    f"https://youtube.com.evil.example/channel/{_UC}",
    f"https://notyoutube.com/channel/{_UC}",
    f"https://www-youtube.com/channel/{_UC}",
    f"https://youtube.co/channel/{_UC}",
    f"https://evil.example/www.youtube.com/channel/{_UC}",
    f"https://www.youtube.com@evil.example/channel/{_UC}",
    "https://www.youtube.com/channel/UCshort",
    "https://gist.github.com/",
    "https://www.youtube.com/playlist",
    "https://www.youtube.com/",
    "https://www.youtube.com/@ann",
    "https://vimeo.com.evil.example/ann",
    "https://xvimeo.com/ann",
    "https://vimeo.com/123456789",
    "https://vimeo.com/upload",
    "https://dailymotion.com.evil.example/ann",
    "https://www.dailymotion.com/video/x1",
    "https://odysee.example/@ann:1",
    "https://odysee.com/",
    "https://github.com.evil.example/ann/loom",
    "https://notgithub.com/ann/loom",
    "https://github.community/ann/loom",
    "https://mygithub.com/ann",
    "https://github.com/",
    "https://github.com/features",
    "https://github.com/settings/profile",
    "https://github.com/marketplace/actions",
    "https://gitlab.com.evil.example/ann/loom",
    "https://gitlab.example/ann/loom",
    "https://gitlab.com/explore",
    "https://codeberg.org.evil.example/ann/loom",
    "https://codeberg.example/ann/loom",
    "https://codeberg.org/explore/repos",
    "https://sr.ht.example/~ann/loom",
    "https://git.sr.ht/~ann",
    "https://crates.io.example/crates/loom",
    "https://crates.io/",
    "https://reddit.com.evil.example/r/tea",
    "https://notreddit.com/r/tea",
    "https://i.redd.it/picture.jpg",
    "https://www.reddit.com/settings",
    "https://www.reddit.com/search/",
    "https://stackoverflow.com.evil.example/questions/tagged/python",
    "https://notstackoverflow.com/questions",
    "https://stackexchange.com.evil.example/questions",
    "https://api.stackexchange.com/questions",
    "https://stackoverflow.com/jobs",
    "https://news.ycombinator.com.evil.example/newest",
    "https://ycombinator.com/",
    "https://news.ycombinator.com/user",
    "https://news.ycombinator.com/login",
    "https://lobste.rs.example/t/python",
    "https://lobste.rs/about",
    "https://lemmy.world.evil.example/c/tea",
    "https://notlemmy.world/c/tea",
    "https://lemmy.world/post/17",
    "https://substack.com.evil.example/",
    "https://notsubstack.com/",
    "https://annsubstack.com/p/x",
    "https://substack.com/",
    "https://substack.com/@ann",
    "https://medium.com.evil.example/@ann",
    "https://notmedium.com/@ann",
    "https://medium.com/",
    "https://medium.com/m/signin",
    "https://help.medium.com/x",
    "https://ann.wordpress.com.evil.example/",
    "https://notwordpress.com/",
    "https://wordpress.com/",
    "https://www.wordpress.com/",
    "https://ghost.io.example/",
    "https://ghost.io/",
    "https://ann.blogspot.com.evil.example/",
    "https://blogspot.example/",
    "https://annblogspot.com/",
    "https://tumblr.com.evil.example/ann",
    "https://nottumblr.com/ann",
    "https://www.tumblr.com/dashboard",
    "https://www.tumblr.com/explore/trending",
    "https://assets.tumblr.com/x",
    "https://dev.to.example/ann",
    "https://dev.to/search",
    "https://buttondown.example/ann",
    "https://buttondown.com/features",
    "https://hashnode.dev/",
    "https://bearblog.dev/",
    "https://ann.bearblog.dev.evil.example/",
    "https://annbearblog.dev/",
    "https://help.micro.blog/",
    "https://notmicro.blog/ann",
    "https://bsky.app.evil.example/profile/ann",
    "https://notbsky.app/profile/ann",
    "https://bsky.app/search",
    "https://flickr.com.evil.example/photos/1@N0",
    "https://www.flickr.com/explore",
    "https://www.flickr.com/photos/ann/",
    "https://deviantart.com.evil.example/ann",
    "https://www.deviantart.com/",
    "https://www.deviantart.com/search",
    "https://pinterest.com.evil.example/ann",
    "https://www.pinterest.com/pin/17/",
    "https://letterboxd.com.evil.example/ann",
    "https://letterboxd.com/film/loom/",
    "https://arxiv.org.evil.example/list/cs.AI/recent",
    "https://notarxiv.org/list/cs.AI/recent",
    "https://arxiv.org/abs/2401.00001",
    "https://itch.io.evil.example/games",
    "https://itch.io/login",
    "https://steampowered.com.example/app/17",
    "https://store.steampowered.com/search/",
    "https://podcasts.apple.com.evil.example/us/podcast/x/id1",
    "https://soundcloud.com/ann",
    "https://kickstarter.com.evil.example/projects/ann/loom",
    "https://www.kickstarter.com/discover",
    "https://mastodon.example/@ann",
    "https://example.org/",
]

# The address, what its page holds, and the feeds.
WITH_PAGE = [
    ("https://www.youtube.com/@ann", f'"externalId":"{_UC}"', [f"{_YT}?channel_id={_UC}"]),
    ("https://www.youtube.com/@ann/videos", f'"externalId":"{_UC}"', [f"{_YT}?channel_id={_UC}"]),
    (
        "https://www.youtube.com/c/ann",
        f'itemprop="identifier" content="{_UC}"',
        [f"{_YT}?channel_id={_UC}"],
    ),
    ("https://www.youtube.com/oldname", f'"externalId":"{_UC}"', [f"{_YT}?channel_id={_UC}"]),
    ("https://www.youtube.com/watch?v=x", f'"channelId":"{_UC}"', [f"{_YT}?channel_id={_UC}"]),
    ("https://youtu.be/abcdefghijk", f'"channelId":"{_UC}"', [f"{_YT}?channel_id={_UC}"]),
    (
        "https://www.youtube.com/@ann",
        f'"channelId":"UCxxxxxxxxxxxxxxxxxxxxxx","rssUrl":"{_YT}?channel_id={_UC}"',
        [f"{_YT}?channel_id={_UC}"],
    ),
    (
        "https://podcasts.apple.com/us/podcast/the-show/id17",
        r'"feedUrl":"https:\/\/feeds.example\/show?a=1\u0026b=2"',
        ["https://feeds.example/show?a=1&b=2"],
    ),
    (
        "https://podcasts.apple.com/de/podcast/id17?l=en",
        '"feedUrl":"https://feeds.example/show"',
        ["https://feeds.example/show"],
    ),
    (
        "https://soundcloud.com/ann/a-song",
        '<meta content="soundcloud://users:17">',
        ["https://feeds.soundcloud.com/users/soundcloud:users:17/sounds.rss"],
    ),
    (
        "https://www.flickr.com/photos/ann/",
        '"nsid":"12345@N00"',
        [f"{_FLICKR}?id=12345@N00&format=atom"],
    ),
    (
        "https://substack.com/@ann",
        r"\"subdomain\":\"anns-letter\"",
        ["https://anns-letter.substack.com/feed"],
    ),
    (
        "https://letter.example/p/x",
        "https://substackcdn.com/bundle/main.js",
        ["https://letter.example/feed"],
    ),
    (
        "https://stories.example/x-1a",
        '<meta property="al:ios:app_name" content="Medium">',
        ["https://stories.example/feed"],
    ),
    (
        "https://social.example/@ann",
        'type="application/activity+json"',
        ["https://social.example/@ann.rss"],
    ),
    (
        "https://social.example/tags/tea",
        "application/activity+json",
        ["https://social.example/tags/tea.rss"],
    ),
    (
        "https://social.example/users/ann",
        "application/activity+json",
        ["https://social.example/users/ann.rss", "https://social.example/users/ann/feed.atom"],
    ),
    (
        "https://git.example/ann/loom",
        '<meta content="GitLab" property="og:site_name">',
        [
            "https://git.example/ann/loom/-/releases.atom",
            "https://git.example/ann/loom/-/tags?format=atom",
            "https://git.example/ann/loom.atom",
        ],
    ),
    (
        "https://git.example/ann/loom/tags",
        '<meta name="keywords" content="go,git,self-hosted,gitea">',
        ["https://git.example/ann/loom/tags.rss"],
    ),
    (
        "https://talk.example/c/tea/5/l/latest",
        '<div id="data-discourse-setup">',
        ["https://talk.example/c/tea/5.rss", "https://talk.example/latest.rss"],
    ),
    (
        "https://talk.example/u/ann/summary",
        "data-discourse-setup",
        ["https://talk.example/u/ann/activity.rss"],
    ),
    (
        "https://talk.example/tag/tea",
        "data-discourse-setup",
        ["https://talk.example/tag/tea.rss", "https://talk.example/latest.rss"],
    ),
    ("https://talk.example/c/tea", "lemmy-ui", ["https://talk.example/feeds/c/tea.xml?sort=New"]),
    (
        "https://video.example/a/ann/videos",
        '<meta property="og:platform" content="PeerTube">',
        ["https://video.example/feeds/videos.xml?accountName=ann"],
    ),
    (
        "https://shop.example/journal/a-walk",
        "<!-- This is Squarespace. -->",
        ["https://shop.example/journal?format=rss"],
    ),
    (
        "https://forum.example/index.php",
        '<body id="phpbb">',
        ["https://forum.example/app.php/feed"],
    ),
    (
        "https://blog.example/a/b",
        '<link rel="https://api.w.org/" href="https://blog.example/sub/wp-json/">',
        ["https://blog.example/sub/feed/"],
    ),
]

# Right page data on the wrong host must not count.
WITH_PAGE_NOT_MATCHING = [
    ("https://youtube.com.evil.example/@ann", f'"externalId":"{_UC}"'),
    ("https://podcasts.apple.example/us/podcast/x/id1", '"feedUrl":"https://feeds.example/show"'),
    ("https://soundcloud.com.evil.example/ann", "soundcloud://users:17"),
    ("https://www.flickr.com.evil.example/photos/ann", '"nsid":"12345@N00"'),
    ("https://podcasts.apple.com/us/podcast/x/id1", '"feedUrl":"https://[bad"'),
    ("https://podcasts.apple.com/us/podcast/x/id1", r'"feedUrl":"https://x.example/\q"'),
    ("https://www.youtube.com/@ann", '"externalId":"UC-too-short"'),
    # Whatever channel such a page names first, nobody meant it.
    *(
        (f"https://{place}", f'"channelId":"{_UC}"')
        for place in (
            "www.youtube.com/results?search_query=cats",
            "www.youtube.com/feed/trending",
            "www.youtube.com/hashtag/cats",
            "www.youtube.com/gaming",
            "www.youtube.com/@ann",
            "music.youtube.com/search?q=cats",
            "music.youtube.com/browse/MPREb_x",
        )
    ),
    ("https://plain.example/@ann", "<p>just a page</p>"),
]

HUB = "https://hub.example"
EXTERNAL = [
    ("https://x.com/ann", f"{HUB}/twitter/user/ann"),
    ("https://twitter.com/ann/status/17", f"{HUB}/twitter/user/ann"),
    ("https://www.instagram.com/ann/", f"{HUB}/instagram/user/ann"),
    ("https://www.threads.net/@ann", f"{HUB}/threads/ann"),
    ("https://www.tiktok.com/@ann", f"{HUB}/tiktok/user/@ann"),
    ("https://t.me/s/teatime", f"{HUB}/telegram/channel/teatime"),
    ("https://space.bilibili.com/17/video", f"{HUB}/bilibili/user/video/17"),
    ("https://weibo.com/u/1234567", f"{HUB}/weibo/user/1234567"),
    ("https://www.zhihu.com/people/ann", f"{HUB}/zhihu/people/activities/ann"),
    ("https://www.pixiv.net/en/users/17", f"{HUB}/pixiv/user/17"),
    ("https://www.twitch.tv/ann", f"{HUB}/twitch/video/ann"),
    ("https://www.patreon.com/c/ann/posts", f"{HUB}/patreon/ann"),
    ("https://x.com.evil.example/ann", None),
    ("https://notx.com/ann", None),
    ("https://x.com/home", None),
    ("https://instagram.com.evil.example/ann", None),
    ("https://www.instagram.com/explore/", None),
    ("https://tiktok.example/@ann", None),
    ("https://t.me/joinchat/abc", None),
    ("https://example.org/ann", None),
]
