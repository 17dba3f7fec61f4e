-- A constraint cannot be added to a table, and a rebuilt table would take the rows that refer to
-- it with it. So each column makes way for one of the same name that has the constraint.

DROP INDEX feeds_state;

ALTER TABLE feeds ADD COLUMN checked TEXT NOT NULL DEFAULT 'unchecked' CHECK (checked IN ('unchecked', 'healthy', 'degraded', 'unhealthy', 'paused'));

UPDATE feeds SET checked = state;

ALTER TABLE feeds DROP COLUMN state;

ALTER TABLE feeds RENAME COLUMN checked TO state;

CREATE INDEX feeds_state ON feeds (state);

ALTER TABLE feeds ADD COLUMN checked TEXT CHECK (checked IN ('rss', 'atom', 'rdf', 'json'));

UPDATE feeds SET checked = format;

ALTER TABLE feeds DROP COLUMN format;

ALTER TABLE feeds RENAME COLUMN checked TO format;

ALTER TABLE feeds ADD COLUMN checked TEXT CHECK (checked IN ('pending', 'approved', 'rejected', 'hidden'));

UPDATE feeds SET checked = topic_status;

ALTER TABLE feeds DROP COLUMN topic_status;

ALTER TABLE feeds RENAME COLUMN checked TO topic_status;

ALTER TABLE feeds ADD COLUMN checked DOUBLE PRECISION CHECK (checked BETWEEN 0 AND 1);

UPDATE feeds SET checked = topic_confidence;

ALTER TABLE feeds DROP COLUMN topic_confidence;

ALTER TABLE feeds RENAME COLUMN checked TO topic_confidence;

ALTER TABLE feed_candidates ADD COLUMN checked TEXT NOT NULL DEFAULT 'guess' CHECK (checked IN ('pasted', 'platform', 'html', 'headers', 'anchor', 'guess', 'external'));

UPDATE feed_candidates SET checked = discovered_from;

ALTER TABLE feed_candidates DROP COLUMN discovered_from;

ALTER TABLE feed_candidates RENAME COLUMN checked TO discovered_from;

ALTER TABLE feed_candidates ADD COLUMN checked TEXT NOT NULL DEFAULT 'invalid' CHECK (checked IN ('valid', 'invalid'));

UPDATE feed_candidates SET checked = validation_status;

ALTER TABLE feed_candidates DROP COLUMN validation_status;

ALTER TABLE feed_candidates RENAME COLUMN checked TO validation_status;

ALTER TABLE websub ADD COLUMN checked TEXT NOT NULL DEFAULT 'pending' CHECK (checked IN ('pending', 'active', 'refused'));

UPDATE websub SET checked = state;

ALTER TABLE websub DROP COLUMN state;

ALTER TABLE websub RENAME COLUMN checked TO state;
