"""A person's own titles and texts of articles, and articles of their own.

Articles are shared by all readers of a feed. So a person's own title is part of their
article state, and an article of their own belongs to a feed row that nobody else reads.
"""

from feedloom.model.errors import InvalidInput
from feedloom.model.feed import CleanHTML
from feedloom.model.stages import NewArticle
from feedloom.store.engine.scripts import Insert, Script, sql
from feedloom.store.ingest.arrivals import STATE_COLUMNS, insert_articles, reserve_item_numbers
from feedloom.store.ingest.feeds import ensure_feed
from feedloom.store.locks import lock_users
from feedloom.store.queries import now_us, number, numbers
from feedloom.store.reader.article_lists import find_article_id
from feedloom.store.reader.subscription_rows import one_subscription
from feedloom.store.search.search_index import queue_for_index
from feedloom.store.times import to_us


def edit_article(
    user_id: int, item_no: int, *, title: str | None, content: CleanHTML | None
) -> Script[None]:
    """Set a person's own title or text of an article; None leaves it unchanged."""
    yield from find_article_id(user_id, item_no)
    yield from lock_users([user_id])
    yield sql(
        "UPDATE article_states SET own_title = coalesce(:title, own_title),"
        " own_content = coalesce(:content, own_content),"
        " last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE user_id = :user AND item_no = :item",
        user=user_id,
        item=item_no,
        title=title,
        content=content,
    )


def import_article(
    user_id: int, subscription_id: int, article: NewArticle, *, tenant_id: int | None
) -> Script[tuple[int, bool]]:
    """Add an article to one person's feed; return its number and whether it is new."""
    subscription = yield from one_subscription(user_id, subscription_id)
    if subscription.feed_id is None:
        raise InvalidInput("This entry only holds starred articles.", field="url")
    feed_id = yield from ensure_feed(
        subscription.url, tenant_id=tenant_id, secret=f"own:{user_id}:{subscription_id}", due=False
    )
    yield from lock_users([user_id])
    query = sql(
        "SELECT t.item_no FROM article_states t JOIN articles a ON a.id = t.article_id"
        " WHERE t.user_id = :user AND t.subscription_id = :subscription"
        " AND a.guid_hash = :hash ORDER BY t.item_no LIMIT 1",
        user=user_id,
        subscription=subscription_id,
        hash=article.guid_hash,
    )
    if known := (yield from numbers(query)):
        return known[0], False
    yield from insert_articles(feed_id, [article], (yield from now_us()))
    # It counts as listed for as long as its owner has it; no publisher lists it.
    stored = sql(
        "UPDATE articles SET in_document = true WHERE feed_id = :feed"
        " AND guid_hash = :hash RETURNING id",
        feed=feed_id,
        hash=article.guid_hash,
    )
    article_id = yield from number(stored)
    item_nos, now = yield from reserve_item_numbers([user_id], 1)
    state = (
        article_id,
        user_id,
        subscription_id,
        item_nos[user_id],
        now,
        to_us(article.published_at),
        True,
        now,
    )
    yield Insert("article_states", STATE_COLUMNS, [state])
    yield from queue_for_index("article", [article_id])
    return item_nos[user_id], True
