CREATE VIEW first_enclosures AS
SELECT id AS article_id, enclosures -> 0 ->> 'url' AS enclosure_url,
  enclosures -> 0 ->> 'mime' AS enclosure_mime,
  (enclosures -> 0 ->> 'length')::bigint AS enclosure_length
FROM articles WHERE json_array_length(enclosures) > 0;
