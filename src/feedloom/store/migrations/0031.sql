-- Feeds that are fetched past the outbound proxy.
ALTER TABLE feeds ADD COLUMN direct BOOLEAN NOT NULL DEFAULT false;
