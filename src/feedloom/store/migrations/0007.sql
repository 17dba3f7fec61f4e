-- Search: what is deleted is not looked for, and its words are not kept.

DELETE FROM index_queue WHERE kind = 'article' AND id NOT IN (SELECT id FROM articles);

DELETE FROM index_queue WHERE kind = 'feed' AND id NOT IN (SELECT id FROM feeds);
