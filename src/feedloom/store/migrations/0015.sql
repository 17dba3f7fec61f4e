-- Closed sets of values are checked by the database. Values that no version of this program
-- wrote become what a new row has. Sets that grow (kinds of tasks, outcomes, events) stay open.

UPDATE feeds SET state = 'unchecked' WHERE state NOT IN ('unchecked', 'healthy', 'degraded', 'unhealthy', 'paused');

UPDATE feeds SET format = NULL WHERE format NOT IN ('rss', 'atom', 'rdf', 'json');

UPDATE feeds SET topic_status = 'pending' WHERE topic_status NOT IN ('pending', 'approved', 'rejected', 'hidden');

UPDATE feeds SET topic_confidence = NULL WHERE topic_confidence NOT BETWEEN 0 AND 1;

UPDATE feed_candidates SET discovered_from = 'guess' WHERE discovered_from NOT IN ('pasted', 'platform', 'html', 'headers', 'anchor', 'guess', 'external');

UPDATE feed_candidates SET validation_status = 'invalid' WHERE validation_status NOT IN ('valid', 'invalid');

UPDATE websub SET state = 'pending' WHERE state NOT IN ('pending', 'active', 'refused');
