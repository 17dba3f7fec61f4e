-- Which story each article belongs to; without a number it waits for a worker to tell.
-- Stories are numbered like the first of their articles.
CREATE TABLE story_articles (
  article_id BIGINT NOT NULL PRIMARY KEY REFERENCES articles (id) ON DELETE CASCADE,
  story_id BIGINT,
  arrived_at {time} NOT NULL
) {clustered};
CREATE INDEX story_articles_waiting ON story_articles (article_id) WHERE story_id IS NULL;
CREATE INDEX story_articles_story ON story_articles (story_id) WHERE story_id IS NOT NULL;

-- The one worker that tells stories now.
CREATE TABLE story_lease (
  id INTEGER NOT NULL PRIMARY KEY,
  token TEXT NOT NULL,
  locked_until {time} NOT NULL
);
INSERT INTO story_lease (id, token, locked_until) VALUES (1, '', 0);

-- What a person wants of a story.
CREATE TABLE story_marks (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  story_id BIGINT NOT NULL,
  followed_at {time},
  muted_at {time},
  PRIMARY KEY (user_id, story_id)
) {clustered};
CREATE INDEX story_marks_story ON story_marks (story_id);

INSERT INTO story_articles (article_id, arrived_at)
SELECT id, fetched_at FROM articles
WHERE fetched_at > now_us() - 259200000000 AND published_at > fetched_at - 259200000000;
