-- Search: what waits to be indexed. The indexes themselves are the engines' own.

CREATE TABLE index_queue (
  kind TEXT NOT NULL,
  id BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
) {clustered};

INSERT INTO index_queue (kind, id) SELECT 'article', id FROM articles;

INSERT INTO index_queue (kind, id) SELECT 'feed', id FROM feeds;
