-- A proxy keeps answering under the address it was added with when its feed moves.

ALTER TABLE proxies ADD COLUMN served_key TEXT;

UPDATE proxies SET served_key = (SELECT f.url_key FROM feeds f WHERE f.id = proxies.feed_id);

CREATE INDEX proxies_served ON proxies (served_key);

ALTER TABLE ai_calls ADD COLUMN ms INTEGER NOT NULL DEFAULT 0;
