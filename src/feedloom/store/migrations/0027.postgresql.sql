INSERT INTO index_queue (kind, id)
SELECT 'article', id FROM articles WHERE octet_length(title) > char_length(title)
ON CONFLICT DO NOTHING;
