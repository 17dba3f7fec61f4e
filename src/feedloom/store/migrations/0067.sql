-- What a person's marks say about what they like: counts by feed, author, topic and word,
-- kept only for those who switched "For you" on.
ALTER TABLE users ADD COLUMN learns BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE interests (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('feed', 'author', 'topic', 'word')),
  name TEXT NOT NULL,
  subscription_id INTEGER REFERENCES subscriptions (id) ON DELETE CASCADE,
  starred INTEGER NOT NULL DEFAULT 0,
  saved INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  dismissed INTEGER NOT NULL DEFAULT 0,
  more INTEGER NOT NULL DEFAULT 0,
  less INTEGER NOT NULL DEFAULT 0,
  changed_at {time} NOT NULL,
  UNIQUE (user_id, kind, name)
);
CREATE INDEX interests_subscription ON interests (subscription_id) WHERE subscription_id IS NOT NULL;
