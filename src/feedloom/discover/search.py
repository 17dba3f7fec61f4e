"""One discovery from start to end, without touching the network.

What was pasted goes in; requests come out, replies go in, and at any time a result can
be read. The order of the work, each step only while nothing good enough was found:

    the page | what it and its platform name | pages near it | guesses | RSSHub

A pasted feed ends the search at once; only its siblings are noted. ``Discovery`` never
fetches or parses: the caller does, and answers each request once.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from feedloom.discover.common_paths import folders_above, guesses, guesses_beside
from feedloom.discover.labels import language_of, name_words, shared_words
from feedloom.discover.ledger import Ledger
from feedloom.discover.links import header_candidates, link_candidates, page_candidates
from feedloom.discover.looks import Kind, asked_kind, depth_of, is_within
from feedloom.discover.pages import Page, begins_like_outline, is_blog, read_page
from feedloom.discover.pasted import Input
from feedloom.discover.platforms import (
    account_candidates,
    elsewhere_candidates,
    external_candidates,
    hosted_candidates,
    is_shared_host,
    platform_candidates,
)
from feedloom.discover.request_plan import (
    AT_ONCE,
    BUDGET,
    FRUITLESS,
    Asking,
    Reply,
    Request,
    RequestKind,
)
from feedloom.discover.scores import Context, promise_of
from feedloom.discover.walls import is_wall, way_through
from feedloom.model.errors import (
    BlockedAddress,
    FeedloomError,
    NameNotFound,
    NotAFeed,
    ParseError,
    TimedOut,
)
from feedloom.model.feed import ParsedFeed
from feedloom.model.stages import Candidate, Discovered, Ending, FetchResponse, Origin, Site
from feedloom.model.urls import host_key, read_address, resolve, url_key, without_credentials

MAX_VALIDATED = 12
"""Most candidates of one page that are checked."""
MAX_ANCHORS_VALIDATED = 6
MAX_SIBLINGS = 4
MAX_PAGES_NEAR = 4
LIKELY = 6
"""So many usual names are tried before those beside the blog."""
WAVE = 2
"""Guesses that are asked together; the next wave waits for their answers."""
MAX_LISTS = 2
"""Most pages that only list feeds which are looked into."""
MAX_SIGNPOSTS = 2
"""Most pages in a row that only send on."""
MIN_LISTED = 3
_LISTING = frozenset({Origin.ANCHOR, Origin.HTML, Origin.GUESS})
_FIRST_ERROR = 400
_FIRST_FAULT = 500
_REFUSALS = frozenset({401, 403, 429})
_ENDINGS = {
    401: Ending.REFUSED,
    403: Ending.REFUSED,
    404: Ending.NOT_FOUND,
    410: Ending.NOT_FOUND,
    429: Ending.THROTTLED,
}
_BUSY = frozenset({429, 503})

_Steps = Generator[None, None, None]
_PageSteps = Generator[None, None, Page | None]


class Discovery:
    def __init__(
        self,
        pasted: Input,
        *,
        now: datetime,
        hub: str | None = None,
        budget: int = BUDGET,
        at_once: int = AT_ONCE,
    ) -> None:
        self._pasted = pasted
        self._now = now
        self._hub = hub
        self._asking = Asking(budget=budget, at_once=at_once)
        self._ledger = Ledger()
        self._checking: dict[str, Candidate] = {}
        self._page: Page | None = None
        self._own_words: frozenset[str] = frozenset()
        self._is_walled = False
        self._status: int | None = None
        self._error: FeedloomError | None = None
        self._nothing = Ending.NO_FEED
        self._feed: ParsedFeed | None = None
        self._listed: dict[str, tuple[Candidate, ...]] = {}
        """Feeds that are named by pages which were expected to be feeds."""
        self._lists_read = 0
        self._pages_near = 0
        self._blog = ""
        """A folder of the site that is called a blog and names no feed."""
        self._steps = self._plan()
        self.done = False
        """True when there is nothing more to ask."""

    def next_requests(self) -> tuple[Request, ...]:
        """Return what to fetch now; nothing while answers are awaited or when done."""
        while not self.done:
            self._advance()
            started = self._asking.issue()
            if started or not self._asking.is_idle:
                return started
        return ()

    def answer(self, url: str, reply: Reply) -> None:
        """Take the reply to a request; raise ``LookupError`` when it was not asked."""
        self._asking.close(url, reply)
        candidate = self._checking.get(url)
        if candidate is not None:
            # At once, not when all are in: the result may be read before that.
            self._ledger.record(candidate, reply)
            if self._lists_read < MAX_LISTS and (page := _list_of_feeds(candidate, reply)):
                self._listed[url] = _named_in(candidate, page)
        self._advance()

    def stop(self) -> None:
        """End here: the time is up. What is known stays known."""
        self._asking.give_up()
        self._steps.close()
        self.done = True

    @property
    def is_settled(self) -> bool:
        """True when the canonical feed can no longer change."""
        return self.done or self._feed is not None

    def result(self) -> Discovered:
        candidates = self._ledger.scored(self._context, complete=self.done)
        canonical = next((one for one in candidates if one.valid), None)
        return Discovered(
            site=self._site(),
            candidates=candidates,
            canonical=canonical,
            ending=Ending.FOUND if canonical else self._ending(),
            tried=self._asking.tried,
            requests=self._asking.requests,
            complete=self.done,
        )

    def _advance(self) -> None:
        while not self.done and self._asking.is_idle:
            try:
                next(self._steps)
            except StopIteration:
                self.done = True

    # The plan: each bare ``yield`` waits until everything wanted has been answered.

    def _plan(self) -> _Steps:
        page = yield from self._open()
        if self._feed is not None:
            yield from self._note_siblings(self._feed)
            return
        tiers = self._offered(page)
        page = self._page  # without its text
        for offered in tiers:
            if not (self._is_satisfied and self._has_asked_section(offered)):
                yield from self._check(offered)
        if self._pasted.handle is not None and not self._is_satisfied:
            profiles = (page.refresh_url, page.url) if page else ()
            urls = dict.fromkeys(filter(None, (*profiles, self._pasted.about)))
            yield from self._check([one for url in urls for one in account_candidates(url)])
        if page is not None and self._status not in _BUSY and not is_shared_host(page.url):
            above = () if self._is_walled else folders_above(page.url)
            near = (*self._canonical(page), *above)
            if "/~" in page.url:
                # Neighbours share this host: their feeds are near, but not meant.
                yield from self._look_near(url for url in near if "/~" in url)
                yield from self._guess(guesses_beside(page.url))
            yield from self._look_near((*near, *page.ways_on))
            yield from self._check(() if self._is_satisfied else elsewhere_candidates(page))
            usual = guesses(page.url)
            beside = guesses_beside(self._blog) if self._blog else ()
            yield from self._guess((*usual[:LIKELY], *beside, *usual[LIKELY:]))
        if not self._ledger.has_own(self._context) and not isinstance(self._error, BlockedAddress):
            yield from self._check(external_candidates(self._pasted.about, self._hub))

    def _open(self) -> _PageSteps:
        page: Page | None = None
        for url in self._pasted.urls:
            if self._is_pointless(url):
                continue
            reply = yield from self._ask(url, RequestKind.PAGE)
            if reply is None or reply.fetched is None:
                self._error = self._error or (reply.error if reply else None)
                continue
            if reply.feed is not None:
                self._ledger.record(Candidate(url, Origin.PASTED), reply)
                self._feed = reply.kept.feed
                return None
            is_damaged = isinstance(reply.error, ParseError) and not isinstance(
                reply.error, NotAFeed
            )
            self._nothing = Ending.DAMAGED if is_damaged else Ending.NO_FEED
            page = self._enter(reply.fetched)
            del reply
            page = yield from self._follow(page)
            if self._is_content:
                break
        return page

    def _follow(self, page: Page) -> Generator[None, None, Page]:
        for _ in range(MAX_SIGNPOSTS):
            if page.refresh_url is None:
                break
            reply = yield from self._ask(page.refresh_url, RequestKind.PAGE)
            if reply is None or reply.fetched is None:
                break
            if reply.feed is not None:
                named = Candidate(page.refresh_url, Origin.HTML)
                self._ledger.record(named, reply)
                break
            page = self._enter(reply.fetched)
        return page

    def _note_siblings(self, feed: ParsedFeed) -> _Steps:
        site_url = resolve(self._pasted.about, feed.site_url or "")
        if site_url is None or host_key(site_url) != host_key(self._pasted.about):
            return
        reply = yield from self._ask(site_url, RequestKind.PAGE)
        if reply is None or reply.fetched is None or reply.feed is not None:
            return
        page = self._enter(reply.fetched)
        named = (*link_candidates(page), *header_candidates(page))
        del reply, page
        yield from self._check(named, limit=MAX_SIBLINGS)

    def _check(self, candidates: Sequence[Candidate], *, limit: int = MAX_VALIDATED) -> _Steps:
        for candidate in candidates:
            self._ledger.note(candidate)
        chosen = self._most_promising(candidates)[:limit]
        for candidate in chosen:
            self._checking[candidate.url] = candidate
            is_new = self._asking.want(candidate.url, RequestKind.FEED)
            if not is_new and (reply := self._asking.reply_to(candidate.url)):
                self._ledger.record(candidate, reply)
        self._asking.limit_to(BUDGET if self._ledger.has_own(self._context) else FRUITLESS)
        yield
        for candidate in chosen:
            # A page that a site calls its feed may list the feeds.
            listed = self._listed.pop(candidate.url, None)
            if listed is None or self._lists_read == MAX_LISTS:
                continue
            if not self._ledger.has_whole(self._context):
                self._lists_read += 1
                self._own_words |= shared_words(one.title for one in listed)
                yield from self._check(listed)

    def _look_near(self, urls: Iterable[str]) -> _Steps:
        """Try pages above and beside a page that names no good feed."""
        near = list(urls)
        while near and self._pages_near < MAX_PAGES_NEAR and not self._is_satisfied:
            url = near.pop(0)
            if self._asking.has_asked(url):
                continue
            self._pages_near += 1
            reply = yield from self._ask(url, RequestKind.PAGE)
            if reply is None or reply.fetched is None:
                continue
            if reply.feed is not None:
                self._ledger.record(Candidate(url, Origin.GUESS), reply)
                continue
            found = read_page(reply.fetched)
            if reply.fetched.status < _FIRST_ERROR and is_blog(found.url):
                self._blog = self._blog or found.url
            near += found.ways_on[:2]
            offered = (*platform_candidates(found.url, found), *page_candidates(found))
            del reply, found  # neither is held while others are asked
            yield from self._check(offered)

    def _guess(self, candidates: Iterable[Candidate]) -> _Steps:
        """Try the usual names in small waves, until one of them is a feed."""
        left = iter(candidates)
        while not self._is_satisfied:
            wave = tuple(islice(left, WAVE))
            yield from self._check(wave)
            replies = ((one.url, self._asking.reply_to(one.url)) for one in wave)
            if not any(_is_answer(url, reply) for url, reply in replies):
                # Nothing left to guess, no budget left, or the host refuses us.
                return

    # Small questions.

    def _ask(self, url: str, purpose: RequestKind) -> Generator[None, None, Reply | None]:
        """Ask an address once; None when it was asked before or cannot be paid for."""
        if not self._asking.want(url, purpose):
            return None
        yield
        return self._asking.take(url)

    def _enter(self, fetched: FetchResponse) -> Page:
        self._status = fetched.status
        about = self._pasted.about
        if is_wall(fetched.url, about):
            self._is_walled = True
            page = Page(url=about, refresh_url=way_through(fetched.url))
        else:
            self._is_walled = False
            page = read_page(fetched)
        self._page = replace(page, text="")
        return page

    def _is_pointless(self, url: str) -> bool:
        host = read_address(url).host
        for earlier in self._pasted.urls:
            reply = self._asking.reply_to(earlier)
            if reply is None or read_address(earlier).host != host:
                continue
            if isinstance(reply.error, (NameNotFound, BlockedAddress)):
                return True
            is_downgrade = earlier.startswith("https:") and url.startswith("http:")
            if is_downgrade and reply.fetched is not None:
                return True
        return False

    @property
    def _is_content(self) -> bool:
        if self._pasted.handle is None:
            return True
        is_profile = self._page is not None and "/.well-known/" not in self._page.url
        return is_profile and self._status is not None and self._status < _FIRST_ERROR

    def _offered(self, page: Page | None) -> tuple[tuple[Candidate, ...], ...]:
        """Collect what a page and its platform offer, in the order of trust.

        What is linked somewhere in a page is not asked for while there is better.
        """
        about = self._pasted.about
        urls = dict.fromkeys((about, page.url if page else about))
        hosted = [one for url in urls for one in hosted_candidates(url, page)]
        known = [one for url in urls for one in platform_candidates(url, page)]
        if page is None:
            return (tuple(known),)
        offered = page_candidates(page)
        linked = tuple(one for one in offered if one.origin is Origin.ANCHOR)
        sure = tuple(one for one in offered if one.origin is not Origin.ANCHOR)
        self._own_words = name_words(page.site_name, page.title, page.url)
        self._own_words |= shared_words(one.title for one in sure)
        return ((*hosted, *sure), tuple(known), linked)

    def _most_promising(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        context = self._context
        unchecked = self._ledger.unchecked(candidates)
        is_many = len(unchecked) > MAX_VALIDATED
        ranked = sorted(
            unchecked,
            key=lambda one: (-promise_of(one, context), depth_of(one.url) if is_many else 0),
        )
        anchors = [one for one in ranked if one.origin is Origin.ANCHOR]
        surplus = frozenset(one.url for one in anchors[MAX_ANCHORS_VALIDATED:])
        return [one for one in ranked if one.url not in surplus]

    def _canonical(self, page: Page) -> tuple[str, ...]:
        url = page.canonical_url
        if url is None or url_key(url) == url_key(page.url):
            return ()
        return (url,) if host_key(url) == host_key(page.url) else ()

    @property
    def _is_satisfied(self) -> bool:
        return self._ledger.has_main(self._context)

    def _has_asked_section(self, offered: Sequence[Candidate]) -> bool:
        """Tell whether what is offered brings no better feed of the pasted section."""
        about = self._pasted.about
        if asked_kind(about) is not Kind.SECTION:
            return True
        known = (one.url for one in offered if one.origin is Origin.PLATFORM)
        return not any(is_within(url, about) for url in known)

    @property
    def _context(self) -> Context:
        site_url = self._page.url if self._page else self._pasted.about
        own = self._page.language if self._page else ""
        language = language_of(self._pasted.about) or own
        return Context(self._pasted.about, site_url, self._now, self._own_words, language)

    def _site(self) -> Site:
        about, page, feed = self._pasted.about, self._page, self._feed
        own = feed.site_url if feed else None
        url = page.url if page else resolve(about, own or "") or about
        return Site(
            input_url=without_credentials(about),
            canonical_url=without_credentials(url),
            domain=host_key(url),
            title=(page.title if page else "") or (feed.title if feed else ""),
            favicon_url=page.favicon_url if page else (feed.icon_url if feed else None),
        )

    def _ending(self) -> Ending:
        if self._status is None:
            if isinstance(self._error, BlockedAddress):
                return Ending.BLOCKED_ADDRESS
            if isinstance(self._error, TimedOut):
                return Ending.TIMED_OUT
            is_known = self._error is not None or self.done
            return Ending.UNREACHABLE if is_known else Ending.NO_FEED
        if self._status >= _FIRST_FAULT:
            return Ending.FAILING
        return _ENDINGS.get(self._status, self._nothing)


def _list_of_feeds(candidate: Candidate, reply: Reply) -> Page | None:
    """Return what should be a feed, if it is a page or data that may name feeds."""
    fetched = reply.fetched
    if reply.feed is not None or fetched is None or fetched.status >= _FIRST_ERROR:
        return None
    if candidate.origin is Origin.PLATFORM:
        # Some platforms keep the feeds of others, and tell where by a look-up.
        may_list = any(word in fetched.content_type for word in ("json", "javascript"))
    else:
        is_list = "html" in fetched.content_type or begins_like_outline(fetched.body)
        may_list = candidate.origin in _LISTING and is_list
    return read_page(fetched) if may_list else None


def _named_in(candidate: Candidate, page: Page) -> tuple[Candidate, ...]:
    """Return the feeds that a page names where a feed was expected."""
    named = page_candidates(page)
    if candidate.origin is Origin.PLATFORM:
        known = replace(candidate, rank=0)
        return tuple(replace(known, url=one.url) for one in named)
    # A server that answers everything with some page has no list of feeds.
    is_chance = candidate.origin is Origin.GUESS and len(named) < MIN_LISTED
    return () if is_chance else named


def _is_answer(url: str, reply: Reply | None) -> bool:
    """Tell whether a host still talks to us: a plain 404 does, a refusal does not."""
    if reply is None or reply.fetched is None or is_wall(reply.fetched.url, url):
        return False
    status = reply.fetched.status
    return status not in _REFUSALS and status < _FIRST_FAULT
