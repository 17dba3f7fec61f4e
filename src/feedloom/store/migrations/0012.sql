-- Links that let somebody make an account, once.

CREATE TABLE invitations (
  id {id32},
  token_hash TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL DEFAULT '',
  created_at {time} NOT NULL,
  expires_at {time} NOT NULL,
  used_at {time}
);
