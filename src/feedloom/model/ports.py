"""Ports: what the flow needs from the world, and what the world promises.

All methods are coroutines on one event loop unless said otherwise. Times are aware
and UTC. Errors are those of ``feedloom.model.errors``; anything else is a bug.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from feedloom.model.feed import ParsedFeed
from feedloom.model.reading import (
    AppPassword,
    Article,
    ArticlePage,
    Counts,
    DayCount,
    DirectoryWanted,
    FeedPage,
    Folder,
    Icon,
    ListedFeed,
    Marked,
    Retention,
    Role,
    Session,
    Subscription,
    User,
    Wanted,
)
from feedloom.model.stages import (
    Ask,
    DeadFeed,
    DirectoryEntry,
    Discovered,
    FeedToRefresh,
    Fetched,
    IndexArticle,
    IndexFeed,
    Known,
    Refreshed,
    Stored,
)
from feedloom.model.work import HubSubscription, NewTask, QueueDepth, Task


class Clock(Protocol):
    """The only source of the time."""

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        ...


class Parser(Protocol):
    """Reads feeds. Not a coroutine; may be called from several threads at once.

    Raises ``NotAFeed`` and ``ParseError`` and nothing else.
    """

    def parse(
        self, body: bytes, *, url: str, content_type: str = "", now: datetime
    ) -> ParsedFeed:
        """Read one document."""
        ...

    def parse_at_once(
        self, body: bytes, *, url: str, content_type: str = "", now: datetime
    ) -> ParsedFeed | None:
        """Read one document if that waits for nobody; None when ``parse`` is needed."""
        ...


class Fetcher(Protocol):
    """The one way out to the network.

    Every hop is judged when it connects. Raises ``FetchError`` or a subclass when there
    is no whole answer; an answer of any HTTP status is returned, not raised.
    """

    async def fetch(self, ask: Ask) -> Fetched:
        """Send one request, follow its redirects, return the whole answer."""
        ...

    async def close(self) -> None:
        """Close pooled connections; later calls are a bug."""
        ...


class FeedQueue(Protocol):
    """Feeds as work. Claims honour politeness; all times are the database's."""

    async def claim(self, limit: int) -> list[FeedToRefresh]:
        """Lease up to ``limit`` due feeds whose hosts may be asked now."""
        ...

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        """Renew leases; whoever is missing from the answer has lost its job."""
        ...

    async def release(self, feeds: Sequence[FeedToRefresh]) -> None:
        """Give feeds back unfinished, without burning an attempt."""
        ...

    async def next_due_at(self) -> datetime | None:
        """Tell when the next feed comes due (now or earlier: there is work)."""
        ...

    async def depth(self) -> QueueDepth:
        """Count what waits, runs and is parked."""
        ...


class TaskQueue(Protocol):
    """Everything else that runs later."""

    async def add(self, task: NewTask) -> int:
        """Queue a task; one unfinished task per ``unique_key``: its id is returned."""
        ...

    async def add_claimed(self, task: NewTask) -> Task:
        """Queue a task that this process is doing already; others get it if we end."""
        ...

    async def hand_over(self, task: Task, progress: Mapping[str, object]) -> None:
        """Give a task to the workers at once, with what was found out so far."""
        ...

    async def claim(self, limit: int) -> list[Task]:
        """Lease up to ``limit`` due tasks; those that never finish are parked."""
        ...

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        """Renew leases; whoever is missing from the answer has lost its task."""
        ...

    async def release(self, tasks: Sequence[Task]) -> None:
        """Give tasks back unfinished, without burning an attempt."""
        ...

    async def progress(self, task: Task, progress: Mapping[str, object]) -> None:
        """Tell how far a task is; raise ``LeaseLost`` when it is no longer ours."""
        ...

    async def finish(self, task: Task, result: Mapping[str, object]) -> None:
        """Settle a task with its result."""
        ...

    async def fail(self, task: Task, error: str, retry_at: datetime | None) -> None:
        """Settle a failed try: run again at ``retry_at``, or park (None)."""
        ...

    async def find(self, user_id: int, task_id: int) -> Task:
        """Return one of a person's tasks; raise ``NotFound`` for others'."""
        ...

    async def latest(self, user_id: int, kind: str) -> Task | None:
        """Return a person's newest task of a kind."""
        ...

    async def next_due_at(self) -> datetime | None:
        """Tell when the next task comes due."""
        ...

    async def depth(self) -> QueueDepth:
        """Count what waits, runs and is parked."""
        ...


class RefreshStore(Protocol):
    """Where refreshes end."""

    async def known(self, feed_id: int) -> Known:
        """Tell which entries are stored, to clean only what is new or changed."""
        ...

    async def store(self, refreshed: Refreshed) -> Stored:
        """Write all that follows from a refresh, or nothing when its lease is lost."""
        ...


class AccountStore(Protocol):
    """People and their credentials; secrets come in hashed."""

    async def create(
        self,
        email: str,
        password_hash: str | None,
        *,
        role: Role | None = None,
        accepted_at: datetime | None = None,
        only_first: bool = False,
    ) -> User:
        """Add a person; the very first becomes operator. ``Conflict`` when taken.

        With ``only_first`` anybody but the very first is ``NotAllowed``.
        """
        ...

    async def has_any(self) -> bool:
        """Tell whether the first account was made."""
        ...

    async def by_email(self, email: str) -> tuple[User, str | None] | None:
        """Find a person and the password's hash."""
        ...

    async def by_id(self, user_id: int) -> User | None:
        """Find a person."""
        ...

    async def people(self) -> list[User]:
        """List everybody, for operators."""
        ...

    async def set_password(self, user_id: int, password_hash: str) -> None:
        """Change a password; every session ends and app passwords stay."""
        ...

    async def set_role(self, user_id: int, role: Role) -> None:
        """Change what a person may do; their sessions end."""
        ...

    async def set_disabled(self, user_id: int, *, disabled: bool) -> None:
        """Lock a person out of every door, or let them in again."""
        ...

    async def save_settings(self, user_id: int, settings: Mapping[str, object]) -> None:
        """Replace a person's settings."""
        ...

    async def delete(self, user_id: int) -> None:
        """Delete a person and all that is theirs."""
        ...

    async def start_session(
        self, session: Session, *, rotated_from: str | None
    ) -> None:
        """Store a new session; the one it replaces ends."""
        ...

    async def session(self, token_hash: str) -> Session | None:
        """Find the living session of a token, with its person."""
        ...

    async def touch_session(
        self, session: Session, *, seen_at: datetime, expires_at: datetime
    ) -> None:
        """Note that a session is in use and move its end on."""
        ...

    async def sessions(self, user_id: int) -> list[Session]:
        """List a person's living sessions, newest first."""
        ...

    async def end_session(self, user_id: int, token_hash: str) -> None:
        """End one session."""
        ...

    async def end_sessions(self, user_id: int, *, keep: str | None = None) -> None:
        """End all of a person's sessions but one."""
        ...

    async def add_app_password(
        self, user_id: int, *, label: str, secret_hash: str, fever_hash: str, scope: str
    ) -> AppPassword:
        """Store a program's password by its hashes."""
        ...

    async def app_passwords(self, user_id: int) -> list[AppPassword]:
        """List a person's living app passwords."""
        ...

    async def revoke_app_password(self, user_id: int, password_id: int) -> None:
        """End an app password and every token made with it."""
        ...

    async def by_secret(self, secret_hash: str) -> tuple[User, AppPassword] | None:
        """Find the person of an app password, Fever key or client token by its hash."""
        ...

    async def touch_app_password(self, user_id: int, password_id: int) -> None:
        """Note that an app password is in use."""
        ...

    async def add_client_token(
        self, user_id: int, password_id: int, token_hash: str
    ) -> None:
        """Store a token that lives as long as the app password behind it."""
        ...

    async def by_identity(self, provider: str, subject: str) -> User | None:
        """Find the person an outside provider vouches for."""
        ...

    async def link_identity(self, user_id: int, provider: str, subject: str) -> None:
        """Remember that a provider's subject is this person."""
        ...

    async def record_event(
        self, user_id: int, event_type: str, metadata: Mapping[str, object]
    ) -> None:
        """Write an event of a person's."""
        ...

    async def blocked_until(self, bucket: str) -> datetime | None:
        """Tell until when a throttled bucket is blocked."""
        ...

    async def note_failure(
        self, bucket: str, *, free: int, window_s: int, block_s: int
    ) -> None:
        """Count a failed try; past ``free`` tries block for growing times."""
        ...

    async def forget_failures(self, bucket: str) -> None:
        """Start counting anew after a success."""
        ...


class FolderStore(Protocol):
    """A person's folders."""

    async def folders(self, user_id: int) -> list[Folder]:
        """List a person's folders by path, without the root, with unread counts."""
        ...

    async def root(self, user_id: int) -> int:
        """Tell the root folder's id."""
        ...

    async def create(
        self, user_id: int, name: str, *, parent_id: int | None = None
    ) -> Folder:
        """Make a folder; ``Conflict`` when the name is taken beside it."""
        ...

    async def ensure(self, user_id: int, path: tuple[str, ...]) -> int:
        """Find or make a folder by its path of names; the empty path is the root."""
        ...

    async def rename(self, user_id: int, folder_id: int, name: str) -> None:
        """Rename a folder."""
        ...

    async def move(self, user_id: int, folder_id: int, parent_id: int | None) -> None:
        """Move a folder under another (None: the root), never under itself."""
        ...

    async def delete(self, user_id: int, folder_id: int) -> None:
        """Delete a folder and its subfolders; their feeds move to the root."""
        ...


class SubscriptionStore(Protocol):
    """A person's subscriptions."""

    async def subscribe(
        self,
        user_id: int,
        url: str,
        *,
        title: str | None = None,
        folder_id: int | None = None,
        retention: Retention = Retention.ARCHIVE,
        tenant_id: int | None = None,
    ) -> Subscription:
        """Subscribe a person to a feed's address; ``Conflict`` when they are already."""
        ...

    async def working_feed(self, url: str, *, tenant_id: int | None) -> str | None:
        """Return the address of a feed we fetch with success under this address."""
        ...

    async def subscriptions(self, user_id: int) -> list[Subscription]:
        """List a person's subscriptions by title, with unread counts."""
        ...

    async def subscription(self, user_id: int, subscription_id: int) -> Subscription:
        """Find one; another person's is ``NotFound``."""
        ...

    async def page(self, user_id: int, subscription_id: int) -> FeedPage:
        """Gather what a feed's own page shows."""
        ...

    async def change(
        self, user_id: int, subscription_id: int, changes: Mapping[str, object]
    ) -> Subscription:
        """Change title, folder_id, retention, interval_s, full_text, pinned and the like."""
        ...

    async def set_mailing_list(
        self, user_id: int, subscription_id: int, *, is_mailing_list: bool
    ) -> None:
        """Say that a feed is filled by mail and never polled."""
        ...

    async def change_url(
        self,
        user_id: int,
        subscription_id: int,
        url: str,
        *,
        tenant_id: int | None = None,
    ) -> Subscription:
        """Move this person's subscription to another address, fetched now."""
        ...

    async def unsubscribe(self, user_id: int, subscription_id: int) -> None:
        """End a subscription; starred articles stay, under "Unsubscribed"."""
        ...

    async def refresh(
        self, user_id: int, subscription_id: int, *, afresh: bool = True
    ) -> None:
        """Fetch a feed now because its reader asked."""
        ...

    async def refresh_all(self, user_id: int) -> int:
        """Fetch all of a person's healthy feeds now; answer how many."""
        ...


class ReadingStore(Protocol):
    """A person's articles and marks."""

    async def articles(self, user_id: int, wanted: Wanted) -> ArticlePage:
        """List articles."""
        ...

    async def item_nos(self, user_id: int, wanted: Wanted) -> list[int]:
        """List only item numbers, up to ``wanted.limit``."""
        ...

    async def count(self, user_id: int, wanted: Wanted) -> int:
        """Count all that is wanted, on whatever page."""
        ...

    async def article(self, user_id: int, item_no: int) -> Article:
        """Find one with its content; another person's is ``NotFound``."""
        ...

    async def mark(self, user_id: int, item_nos: Sequence[int], mark: str) -> Marked:
        """Set one of read, unread, starred, unstarred, hidden, shown."""
        ...

    async def mark_all(self, user_id: int, wanted: Wanted, mark: str) -> Marked:
        """Set a mark on everything that is wanted, however much it is."""
        ...

    async def mark_cluster_read(self, user_id: int, item_nos: Sequence[int]) -> Marked:
        """Mark what tells the same story as these items."""
        ...

    async def counts(self, user_id: int) -> Counts:
        """Count unread, starred and all."""
        ...

    async def tag(self, user_id: int, item_nos: Sequence[int], name: str) -> None:
        """Put a tag on items, making the tag when it is new."""
        ...

    async def untag(self, user_id: int, item_nos: Sequence[int], name: str) -> None:
        """Take a tag off items."""
        ...

    async def tags(self, user_id: int) -> list[tuple[str, int]]:
        """List a person's tags with unread counts."""
        ...

    async def create_tag(self, user_id: int, name: str) -> None:
        """Make a tag that nothing carries yet."""
        ...

    async def rename_tag(self, user_id: int, name: str, new_name: str) -> None:
        """Rename a tag, joining one that has that name already."""
        ...

    async def delete_tag(self, user_id: int, name: str) -> None:
        """Delete a tag; articles stay."""
        ...

    async def arrivals_per_day(self, user_id: int, days: int) -> list[DayCount]:
        """Count arrivals on each of the last days, oldest first."""
        ...


class CleanupStore(Protocol):
    """Deletes what may go, in small transactions."""

    async def prune_feed(self, feed_id: int) -> int:
        """Delete a feed's old articles that everybody is done with."""
        ...

    async def expire_day_subscriptions(self) -> int:
        """Hide what 'day' subscriptions got over 24 hours ago; drop what is unlisted."""
        ...

    async def drop_orphans(self) -> int:
        """Delete articles nobody holds and feeds nobody wants."""
        ...

    async def forget_old_work(self) -> None:
        """Delete finished tasks, old log lines, expired sessions and throttles."""
        ...


class OperationsStore(Protocol):
    """Feeds and workers from above, for operators and commands."""

    async def make_due(self, feed: str | None, *, everything: bool) -> int:
        """Make one feed (by id or address) or all due; answer how many are due now."""
        ...

    async def beat(self, worker: str, stats: Mapping[str, object]) -> None:
        """Note that a worker lives, and what it did so far."""
        ...

    async def worker_seen_at(self) -> datetime | None:
        """Tell when the liveliest worker was last seen."""
        ...

    async def forget_validators(self) -> None:
        """Let the next fetch of every feed bring its whole document."""
        ...

    async def database_time(self) -> datetime:
        """Tell the time as the database sees it."""
        ...

    async def forgive(self, feed_ids: list[int]) -> None:
        """Take back failures that were our own network's."""
        ...


class HostGate(Protocol):
    """Who may ask a host now, across processes."""

    async def enter(self, host_key: str, token: str, *, burst: bool = False) -> float:
        """Start a request (0), or tell how many seconds to wait before asking again."""
        ...

    async def leave(self, host_key: str, token: str) -> None:
        """End a request."""
        ...


class IconStore(Protocol):
    """Favicons."""

    async def icon(self, icon_id: int) -> Icon:
        """Find an icon."""
        ...

    async def save(self, feed_id: int, icon: Icon | None) -> None:
        """Give a feed its icon; None says that there is none."""
        ...

    async def feed_addresses(self, feed_id: int) -> tuple[str, str | None]:
        """Tell a feed's own address and its site's."""
        ...


class HubStore(Protocol):
    """WebSub subscriptions."""

    async def declared(self, feed_id: int) -> tuple[str, str] | None:
        """Tell the hub and topic a feed declares; None when it has no hub."""
        ...

    async def save(self, subscription: HubSubscription) -> None:
        """Write a subscription that was just asked for."""
        ...

    async def by_token(self, token: str) -> HubSubscription | None:
        """Find the subscription of a callback address."""
        ...

    async def activate(self, feed_id: int, lease_s: int) -> None:
        """Note that the hub confirmed, and for how long."""
        ...

    async def drop(self, feed_id: int, error: str) -> None:
        """Note that the hub refused: the feed is polled again."""
        ...

    async def announce(self, feed_id: int) -> None:
        """Fetch a feed now: its hub says there is something new."""
        ...

    async def ending(self) -> list[int]:
        """List feeds whose hub lease ends within a day."""
        ...


class SiteStore(Protocol):
    """What discoveries found."""

    async def save(self, found: Discovered, *, tenant_id: int | None = None) -> int:
        """Store a site, all its candidates and its canonical feed; answer its id."""
        ...


class RevivalStore(Protocol):
    """Dead feeds and their new addresses."""

    async def dead_feed(self, feed_id: int) -> DeadFeed:
        """Tell what is remembered of a feed; ``NotFound`` when it is gone."""
        ...

    async def swap(self, feed_id: int, new_url: str, why: str) -> int:
        """Give a feed a new address (merging when it is known); answer the feed's id."""
        ...

    async def note_failure(self, feed_id: int, tried: str) -> None:
        """Write down that nothing was found, and what was tried."""
        ...

    async def wake(self, feed_id: int) -> None:
        """Fetch a feed now: its own address answers again."""
        ...


class IndexStore(Protocol):
    """What can be searched."""

    async def pending_articles(self, limit: int) -> list[IndexArticle]:
        """Read articles that wait to be indexed."""
        ...

    async def pending_feeds(self, limit: int) -> list[IndexFeed]:
        """Read feeds that wait to be indexed."""
        ...

    async def save_articles(self, rows: Sequence[tuple[int, str, str, str]]) -> None:
        """Index articles: id, and folded words of title, author and text."""
        ...

    async def save_feeds(self, rows: Sequence[tuple[int, str]]) -> None:
        """Index feeds: id and folded words."""
        ...


class DirectoryStore(Protocol):
    """Feeds anybody may find."""

    async def seed(self, entries: Sequence[DirectoryEntry], *, check: bool) -> int:
        """Add what is missing, by address; answer how many. Twice changes nothing."""
        ...

    async def find(self, wanted: DirectoryWanted) -> list[ListedFeed]:
        """Return what may fit a search, unranked; without words, a page by title."""
        ...

    async def facets(self) -> tuple[dict[str, int], dict[str, int]]:
        """Count listed feeds by topic and by language."""
        ...

    async def list_feed(self, feed_id: int) -> None:
        """Show a feed in the directory."""
        ...

    async def hide(self, feed_id: int, actor: str) -> None:
        """Take a feed out of the directory."""
        ...

    async def feed_for_topic(self, feed_id: int) -> tuple[str, str, tuple[str, ...]]:
        """Return title, description and recent titles, to propose a topic from."""
        ...

    async def set_topic(
        self, feed_id: int, topic: str, confidence: float, *, status: str, actor: str
    ) -> None:
        """Propose, approve or reject a feed's topic."""
        ...

    async def pending_topics(self) -> list[ListedFeed]:
        """List feeds whose topic waits for an operator."""
        ...
