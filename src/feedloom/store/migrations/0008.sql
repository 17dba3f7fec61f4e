-- Addresses are looked up within a feed, stories by the beginning of their keys: indexes
-- over all articles are written all over, so there are few, and they are small.

DROP INDEX articles_url;

CREATE INDEX articles_url ON articles (feed_id, url_hash);

DROP INDEX articles_cluster;

CREATE INDEX articles_cluster ON articles (substr(cluster_key, 1, 12));
