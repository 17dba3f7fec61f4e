"""Video platforms: the address shapes people paste, and the feeds behind them."""

from feedloom.discover.platforms.matcher import name_but, platform, rule

_CHANNEL_ID = r"(?P<id>UC[\w-]{22})"
_VIDEOS = "https://www.youtube.com/feeds/videos.xml"
# From the surest to the vaguest: pages name other channels as well.
_CHANNEL_DATA = (
    rf'"rssUrl":"https:(?:\\?/){{2}}www\.youtube\.com(?:\\?/)feeds(?:\\?/)videos\.xml\?channel_id={_CHANNEL_ID}"',
    rf'"externalId":"{_CHANNEL_ID}"',
    rf'itemprop="(?:channelId|identifier)" content="{_CHANNEL_ID}"',
    rf'rel="canonical" href="https://www\.youtube\.com/channel/{_CHANNEL_ID}"',
)
_VIDEO_DATA = (*_CHANNEL_DATA, rf'"channelId":"{_CHANNEL_ID}"')
_YOUTUBE_PAGES = (
    "about account ads browse c channel channels creators embed explore fashion feed "
    "gaming hashtag history kids learning library live movies music new news playlist "
    "playlists podcasts post premium redirect results search shorts sports "
    "subscriptions t trending tv upload user watch you"
)
_YOUTUBE_NAME = name_but(_YOUTUBE_PAGES, chars=r"[\w-]{3,}")

YOUTUBE = platform(
    "youtube",
    rule(rf"/channel/{_CHANNEL_ID}(?:/.*)?", (_VIDEOS + "?channel_id={id}", "Videos")),
    rule("/playlist", (_VIDEOS + "?playlist_id={list}", "Playlist"), query=("list",)),
    rule(r"/user/(?P<name>[\w.-]+)(?:/.*)?", (_VIDEOS + "?user={name}", "Videos")),
    rule(
        r"/(?:watch|shorts/[\w-]+|live/[\w-]+|[\w-]{11})",
        (_VIDEOS + "?channel_id={id}", "Videos"),
        page=_VIDEO_DATA,
    ),
    rule(
        rf"/(?:@[^/]+|c/[^/]+|{_YOUTUBE_NAME})(?:/\w+)?",
        (_VIDEOS + "?channel_id={id}", "Videos"),
        page=_CHANNEL_DATA,
    ),
    hosts="youtube.com www.youtube.com m.youtube.com music.youtube.com youtu.be",
)

_VIMEO_PAGES = (
    "categories features upload watch search blog help join log_in solutions upgrade "
    "enterprise ott create stock settings manage features for-hire"
)
VIMEO = platform(
    "vimeo",
    rule(
        r"/(?P<kind>channels|groups)/(?P<name>[\w-]+)(?:/.*)?",
        ("https://vimeo.com/{kind}/{name}/videos/rss", "Videos"),
    ),
    rule(
        "/" + name_but(_VIMEO_PAGES, chars=r"(?!\d+$)[\w-]+") + "(?:/videos)?",
        ("https://vimeo.com/{name}/videos/rss", "Videos"),
    ),
    hosts="vimeo.com www.vimeo.com",
)

_DAILYMOTION_PAGES = "video playlist topic search signin legal us fr partner user"
DAILYMOTION = platform(
    "dailymotion",
    rule(
        "/(?:user/)?" + name_but(_DAILYMOTION_PAGES) + "(?:/videos)?",
        ("https://www.dailymotion.com/rss/user/{name}", "Videos"),
    ),
    hosts="dailymotion.com www.dailymotion.com",
)

ODYSEE = platform(
    "odysee",
    rule(r"/(?P<channel>@[^/]+)(?:/.*)?", ("https://odysee.com/$/rss/{channel}", "Videos")),
    hosts="odysee.com www.odysee.com",
)

PEERTUBE = platform(
    "peertube",
    rule(
        r"/(?:c|video-channels)/(?P<name>[^/]+)(?:/.*)?",
        ("{origin}/feeds/videos.xml?videoChannelName={name}", "Videos"),
    ),
    rule(
        r"/(?:a|accounts)/(?P<name>[^/]+)(?:/.*)?",
        ("{origin}/feeds/videos.xml?accountName={name}", "Videos"),
    ),
    rule(r"/(?:videos/.*)?", ("{origin}/feeds/videos.xml", "All videos")),
    marks=('property="og:platform" content="peertube"',),
)

PROVIDERS = (YOUTUBE, VIMEO, DAILYMOTION, ODYSEE, PEERTUBE)
