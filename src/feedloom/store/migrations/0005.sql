-- Work that is asked for again while it runs is done once more, and never lost.

ALTER TABLE feed_schedules ADD COLUMN again BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE tasks ADD COLUMN again BOOLEAN NOT NULL DEFAULT false;

CREATE INDEX tasks_parked ON tasks (id) WHERE done_at IS NOT NULL AND result IS NULL;
