-- Digests that go out by mail: one row each, so that none is sent twice.
CREATE TABLE mails (
  summary_id INTEGER PRIMARY KEY REFERENCES summaries (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL UNIQUE,
  begun_at {time},
  handed_at {time},
  error TEXT
);
CREATE INDEX mails_user ON mails (user_id, summary_id);
