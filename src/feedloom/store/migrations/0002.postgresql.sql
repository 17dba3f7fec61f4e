CREATE TABLE article_index (
  article_id BIGINT PRIMARY KEY REFERENCES articles (id) ON DELETE CASCADE,
  words TSVECTOR NOT NULL
);
CREATE INDEX article_index_words ON article_index USING gin (words);

CREATE TABLE feed_index (
  feed_id INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
  words TSVECTOR NOT NULL
);
CREATE INDEX feed_index_words ON feed_index USING gin (words);
