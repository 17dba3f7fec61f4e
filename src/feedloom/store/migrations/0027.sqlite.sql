INSERT INTO index_queue (kind, id)
SELECT 'article', id FROM articles WHERE length(CAST(title AS BLOB)) > length(title)
ON CONFLICT DO NOTHING;
