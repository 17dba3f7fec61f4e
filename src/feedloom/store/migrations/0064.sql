-- What an article said before its publisher changed it; text is compressed, NULL where
-- only the headline changed.
CREATE TABLE revisions (
  id {id},
  article_id BIGINT NOT NULL REFERENCES articles (id) ON DELETE CASCADE,
  changed_at {time} NOT NULL,
  title TEXT NOT NULL,
  text {blob}
);
CREATE INDEX revisions_article ON revisions (article_id, changed_at);
CREATE INDEX revisions_changed ON revisions (changed_at);
