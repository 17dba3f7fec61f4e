CREATE TABLE rules_rebuilt (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscription_id INTEGER REFERENCES subscriptions (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  field TEXT NOT NULL CHECK (field IN ('title', 'author', 'content', 'url', 'metadata',
    'any', 'clickbait', 'slant')),
  pattern TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('read', 'star', 'hide', 'tag')),
  tag TEXT,
  enabled BOOLEAN NOT NULL DEFAULT true,
  position INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  created_at {time} NOT NULL,
  inverted BOOLEAN NOT NULL DEFAULT false
);

INSERT INTO rules_rebuilt (id, user_id, subscription_id, name, field, pattern, action, tag,
  enabled, position, last_error, created_at)
SELECT id, user_id, subscription_id, name, field, pattern, action, tag, enabled, position,
  last_error, created_at FROM rules;

DROP TABLE rules;

ALTER TABLE rules_rebuilt RENAME TO rules;

CREATE INDEX rules_user ON rules (user_id);

CREATE INDEX rules_subscription ON rules (subscription_id);
