-- The newest item that a scheduled digest counted: the next one begins after it.
ALTER TABLE users ADD COLUMN digest_until INTEGER;
