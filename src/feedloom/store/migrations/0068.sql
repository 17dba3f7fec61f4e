-- What articles mean, as a model of embeddings put it; only where one is set up. A number
-- of its own tells what is new, in whichever order articles are looked at.
CREATE TABLE article_vectors (
  id {id},
  article_id BIGINT NOT NULL UNIQUE REFERENCES articles (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  vector {blob} NOT NULL
);
