-- Where people signed in from: wrong passwords sent from elsewhere do not keep them out there.

CREATE TABLE known_addresses (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  seen_at {time} NOT NULL,
  PRIMARY KEY (user_id, address)
);
