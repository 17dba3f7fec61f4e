-- Calm titles, for all of a person's feeds and, where it is not NULL, for one.
ALTER TABLE users ADD COLUMN calm_titles BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE subscriptions ADD COLUMN calm_titles BOOLEAN;
