-- The token of a session changes while it is used: what its browser was given instead, and
-- since when it has the present one.
ALTER TABLE sessions ADD COLUMN next_hash TEXT;

ALTER TABLE sessions ADD COLUMN rotated_at {time};

CREATE INDEX sessions_next ON sessions (next_hash);

CREATE INDEX sessions_rotated_from ON sessions (rotated_from);
