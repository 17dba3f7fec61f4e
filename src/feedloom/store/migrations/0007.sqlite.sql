DELETE FROM article_index WHERE rowid NOT IN (SELECT id FROM articles);

DELETE FROM feed_index WHERE rowid NOT IN (SELECT id FROM feeds);

CREATE TRIGGER article_index_gone AFTER DELETE ON articles BEGIN DELETE FROM article_index WHERE rowid = old.id; END;

CREATE TRIGGER feed_index_gone AFTER DELETE ON feeds BEGIN DELETE FROM feed_index WHERE rowid = old.id; END;
