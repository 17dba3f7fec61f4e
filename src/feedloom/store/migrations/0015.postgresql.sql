ALTER TABLE feeds
  ADD CHECK (state IN ('unchecked', 'healthy', 'degraded', 'unhealthy', 'paused')),
  ADD CHECK (format IN ('rss', 'atom', 'rdf', 'json')),
  ADD CHECK (topic_status IN ('pending', 'approved', 'rejected', 'hidden')),
  ADD CHECK (topic_confidence BETWEEN 0 AND 1);

ALTER TABLE feed_candidates
  ADD CHECK (discovered_from IN ('pasted', 'platform', 'html', 'headers', 'anchor', 'guess', 'external')),
  ADD CHECK (validation_status IN ('valid', 'invalid'));

ALTER TABLE websub ADD CHECK (state IN ('pending', 'active', 'refused'));
