-- Searches that a person keeps: in the side bar, and as labels in apps.
CREATE TABLE saved_searches (
  id {id32},
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  created_at {time} NOT NULL,
  UNIQUE (user_id, name)
);
