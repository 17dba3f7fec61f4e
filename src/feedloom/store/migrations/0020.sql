-- What a publisher asks of pollers, as its last document said; and second looks at feeds
-- that are no longer polled.
ALTER TABLE feeds ADD COLUMN asked {json};
ALTER TABLE feeds ADD COLUMN look_again_at {time};

-- Who asks is served first (0), then what was never fetched (1), then the rest (2).
ALTER TABLE feed_schedules ADD COLUMN urgency INTEGER NOT NULL DEFAULT 2;
UPDATE feed_schedules SET urgency = 1 WHERE feed_id IN
  (SELECT id FROM feeds WHERE last_attempt_at IS NULL);
CREATE INDEX feed_schedules_urgent ON feed_schedules (urgency, due_at)
  WHERE urgency < 2 AND due_at IS NOT NULL;

-- Feeds that ended under the old rules get a second look, too.
INSERT INTO tasks (kind, payload, unique_key, run_at, created_at)
  SELECT 'revive', CAST('{"feed_id": ' || f.id || '}' AS {json}), 'revive:' || f.id,
    coalesce(f.last_attempt_at, f.created_at), f.created_at
  FROM feeds f JOIN feed_schedules s ON s.feed_id = f.id
  WHERE s.next_run_at IS NULL AND f.last_fetch_status = 'permanent_error'
    AND f.state <> 'paused' AND coalesce(f.last_http_status, 0) <> 410
  ON CONFLICT DO NOTHING;
