"""A person's articles and feeds, as sync protocols query them."""

from collections.abc import Sequence
from datetime import datetime

from feedloom.model.reader import Icon, Subscription
from feedloom.model.sync import Frontier, ListedSubscription, Place, StreamCount
from feedloom.model.urls import shown_address
from feedloom.store.engine.decorators import OPERATOR, Store, as_user, reads, writes
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.queries import number, numbers
from feedloom.store.reader.folders import folder_paths, lift_subfolders, list_folders
from feedloom.store.reader.subscription_rows import list_subscriptions, shown_title
from feedloom.store.reader.subscriptions import unsubscribe
from feedloom.store.values import maybe_time, value_of


class SyncStore(Store):
    @reads(as_user)
    def feeds(self, user_id: int) -> Script[list[ListedSubscription]]:
        text = """SELECT s.id, s.folder_id, d.is_root AS in_root, s.title AS own_title, f.title,
            coalesce(f.url, '') AS url, f.site_url, f.favicon_id,
            coalesce(f.last_success_at, s.added_at) AS refreshed_at
            FROM subscriptions s JOIN folders d ON d.id = s.folder_id
            LEFT JOIN feeds f ON f.id = s.feed_id WHERE s.user_id = :user"""
        rows = yield sql(text, user=user_id)
        found = [value_of(ListedSubscription, row, title=shown_title(row)) for row in rows]
        return sorted(found, key=lambda feed: (feed.title.casefold(), feed.id))

    @reads(as_user)
    def subscriptions(
        self, user_id: int, subscription_ids: Sequence[int] | None = None
    ) -> Script[list[Subscription]]:
        ids = None if subscription_ids is None else list(subscription_ids)
        return (yield from list_subscriptions(user_id, ids, counted=False))

    folders = reads(as_user).of(list_folders)

    @reads(as_user)
    def frontier(self, user_id: int) -> Script[Frontier]:
        text = """SELECT (SELECT max(item_no) FROM article_states WHERE user_id = :user) AS item,
            (SELECT max(last_modified) FROM article_states WHERE user_id = :user) AS at"""
        [row] = yield sql(text, user=user_id)
        return Frontier(row["item"] or 0, maybe_time(row["at"]))

    @reads(as_user)
    def unread_streams(
        self, user_id: int
    ) -> Script[tuple[dict[int, StreamCount], dict[str, StreamCount]]]:
        text = """SELECT subscription_id, count(*) AS unread, max(arrived_at) AS newest_at
            FROM article_states WHERE user_id = :user AND unread AND hidden_at IS NULL
            GROUP BY subscription_id"""
        feeds = yield sql(text, user=user_id)
        text = """SELECT g.name, count(*) AS unread, max(t.arrived_at) AS newest_at FROM tags g
            JOIN article_tags x ON x.tag_id = g.id AND x.user_id = g.user_id
            JOIN article_states t ON t.article_id = x.article_id AND t.user_id = g.user_id
            WHERE g.user_id = :user AND t.unread AND t.hidden_at IS NULL GROUP BY g.name"""
        tags = yield sql(text, user=user_id)
        return (
            {row["subscription_id"]: value_of(StreamCount, row) for row in feeds},
            {row["name"]: value_of(StreamCount, row) for row in tags},
        )

    @reads(as_user)
    def total(self, user_id: int) -> Script[int]:
        """Count all of a person's articles, including dismissed ones."""
        # An index answers this without reading rows.
        text = "SELECT count(*) FROM article_states WHERE user_id = :user"
        return (yield from number(sql(text, user=user_id)))

    @reads(as_user)
    def totals(self, user_id: int) -> Script[dict[int, tuple[int, int]]]:
        text = """SELECT subscription_id, count(*) AS n,
            sum(CASE WHEN unread THEN 1 ELSE 0 END) AS unread FROM article_states
            WHERE user_id = :user AND hidden_at IS NULL GROUP BY subscription_id"""
        rows = yield sql(text, user=user_id)
        return {r["subscription_id"]: (r["n"] - r["unread"], r["unread"]) for r in rows}

    @reads(as_user)
    def places(self, user_id: int, subscription_ids: Sequence[int]) -> Script[dict[int, Place]]:
        paths = yield from folder_paths(user_id)
        text = """SELECT s.id, s.folder_id, s.title AS own_title, f.title, f.url, f.site_url
            FROM subscriptions s LEFT JOIN feeds f ON f.id = s.feed_id
            WHERE s.user_id = :user AND s.id = ANY(:ids)"""
        rows = yield sql(text, user=user_id, ids=list(subscription_ids))
        found = {}
        for row in rows:
            site = row["site_url"] or shown_address(row["url"] or "")
            found[row["id"]] = Place(shown_title(row), site, paths[row["folder_id"]])
        return found

    @reads(as_user)
    def by_guid_hashes(self, user_id: int, pairs: Sequence[tuple[int, str]]) -> Script[list[int]]:
        wanted = set(pairs)
        text = """SELECT t.item_no, t.subscription_id, a.guid_hash FROM article_states t
            JOIN articles a ON a.id = t.article_id WHERE t.user_id = :user
            AND t.subscription_id = ANY(:ids) AND a.guid_hash = ANY(:hashes)"""
        ids = sorted({subscription for subscription, _ in wanted})
        hashes = sorted({guid_hash for _, guid_hash in wanted})
        rows = yield sql(text, user=user_id, ids=ids, hashes=hashes)
        return [r["item_no"] for r in rows if (r["subscription_id"], r["guid_hash"]) in wanted]

    @reads(as_user)
    def refreshed_at(self, user_id: int) -> Script[datetime | None]:
        text = """SELECT max(f.last_success_at) AS at FROM subscriptions s
            JOIN feeds f ON f.id = s.feed_id WHERE s.user_id = :user"""
        [row] = yield sql(text, user=user_id)
        return maybe_time(row["at"])

    @reads(as_user)
    def icons(self, user_id: int) -> Script[dict[int, Icon]]:
        text = """SELECT id, source_url, mime, bytes AS data FROM favicons WHERE id IN
            (SELECT f.favicon_id FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
             WHERE s.user_id = :user) ORDER BY id"""
        rows = yield sql(text, user=user_id)
        return {row["id"]: value_of(Icon, row) for row in rows}

    @reads(OPERATOR)
    def all_feeds(self) -> Script[list[tuple[int, str]]]:
        rows = yield sql("""SELECT s.id, u.email FROM subscriptions s
            JOIN users u ON u.id = s.user_id WHERE s.feed_id IS NOT NULL ORDER BY s.id""")
        return [(row["id"], row["email"]) for row in rows]

    @writes(as_user)
    def delete_folder(self, user_id: int, folder_id: int) -> Script[None]:
        yield from lift_subfolders(user_id, folder_id)
        text = "SELECT id FROM subscriptions WHERE user_id = :user AND folder_id = :id ORDER BY id"
        for subscription_id in (yield from numbers(sql(text, user=user_id, id=folder_id))):
            yield from unsubscribe(user_id, subscription_id)
        text = "DELETE FROM folders WHERE user_id = :user AND id = :id"
        yield sql(text, user=user_id, id=folder_id)
