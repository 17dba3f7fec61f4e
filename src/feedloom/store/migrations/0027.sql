-- Texts without spaces between words are taken apart in pairs of characters: what may
-- hold such texts is indexed anew.
INSERT INTO index_queue (kind, id) SELECT 'feed', id FROM feeds WHERE true
ON CONFLICT DO NOTHING;
