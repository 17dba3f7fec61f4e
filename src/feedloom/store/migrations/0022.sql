-- What a person wants of one feed: none of it for now, all of it each time, a part of its
-- pages, or not among everything.
ALTER TABLE subscriptions ADD COLUMN paused_at {time};

ALTER TABLE subscriptions ADD COLUMN ignores_cache BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE subscriptions ADD COLUMN content_selector TEXT;

ALTER TABLE subscriptions ADD COLUMN hidden_globally BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE folders ADD COLUMN hidden_globally BOOLEAN NOT NULL DEFAULT false;

-- What a person made of an article's title and text, through a client.
ALTER TABLE article_states ADD COLUMN own_title TEXT;

ALTER TABLE article_states ADD COLUMN own_content TEXT;

-- How far a person has heard or seen an enclosure.
CREATE TABLE media_positions (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  article_id BIGINT NOT NULL REFERENCES articles (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  seconds INTEGER NOT NULL CHECK (seconds >= 0),
  changed_at {time} NOT NULL,
  PRIMARY KEY (user_id, article_id, url)
) {clustered};
CREATE INDEX media_positions_article ON media_positions (article_id);
