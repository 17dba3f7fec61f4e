"""What people hold: accounts, subscriptions, articles, and what is theirs besides."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from feedloom.model.reading import (
    AppPassword,
    Article,
    ArticlePage,
    Counts,
    DayCount,
    EndedAccess,
    FeedPage,
    FeedWish,
    Folder,
    LinkedIdentity,
    Marked,
    Retention,
    Role,
    Session,
    Subscription,
    User,
    Wanted,
)


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

    async def set_password(
        self,
        user_id: int,
        password_hash: str,
        *,
        keep_programs: bool = False,
        mark: str | None = None,
    ) -> EndedAccess:
        """Change a password; every session ends.

        App passwords, secret addresses of views and linked identities end, too, unless
        they are kept: whoever knew the old password may have made some. With ``mark``,
        the old password must still be the one it was made of: ``NotSignedIn`` else.
        """
        ...

    async def set_role(self, user_id: int, role: Role) -> None:
        """Change what a person may do; their sessions end.

        ``Conflict`` when no operator would be left who can sign in; so do disabling and
        deleting somebody.
        """
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
        """Store a new session; the one it replaces ends.

        ``NotSignedIn`` when its person was disabled or got another password since.
        """
        ...

    async def session(self, token_hash: str) -> Session | None:
        """Find the session of a token, with its person, even if its time is over."""
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
        """Store a program's password by its hashes; ``InvalidInput`` past the quota."""
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

    async def identities(self, user_id: int) -> list[LinkedIdentity]:
        """List whom providers take a person for, oldest first."""
        ...

    async def unlink_identity(self, user_id: int, key: str) -> None:
        """Forget an identity; ``Conflict`` when it is the person's last way in."""
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

    async def delete(
        self, user_id: int, folder_id: int, *, alone: bool = False
    ) -> None:
        """Delete a folder and its subfolders; their feeds move to the root."""
        ...


class SubscriptionStore(Protocol):
    """A person's subscriptions."""

    async def subscribe(  # noqa: PLR0913 - what may be said of a subscription
        self,
        user_id: int,
        url: str,
        *,
        title: str | None = None,
        folder_id: int | None = None,
        retention: Retention = Retention.ARCHIVE,
        tenant_id: int | None = None,
        alone: bool = False,
    ) -> Subscription:
        """Subscribe a person to a feed's address; ``Conflict`` when they are already.

        ``alone``: they added this one by itself and look at the page now, so it need
        not wait for what its host was asked to find it.
        """
        ...

    async def subscribe_to_new(
        self, user_id: int, wishes: Sequence[FeedWish], *, tenant_id: int | None
    ) -> frozenset[str]:
        """Subscribe at once to all feeds that nobody has; answer their addresses.

        The others are left for ``subscribe``. ``InvalidInput`` and ``NotFound`` are
        about one or all of the wishes: then nothing is added.
        """
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

    async def set_access(
        self,
        user_id: int,
        subscription_id: int,
        *,
        cookie: str | None,
        user_agent: str | None,
        tenant_id: int | None = None,
    ) -> Subscription:
        """Say what is sent along when this person's feed is fetched; fetched now.

        Such a feed is kept apart from everybody's: nobody else's fetch sends it, and
        what it unlocks is nobody else's to read.
        """
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
