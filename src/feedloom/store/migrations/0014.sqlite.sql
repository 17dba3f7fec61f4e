CREATE VIEW first_enclosures AS
SELECT id AS article_id, json_extract(enclosures, '$[0].url') AS enclosure_url,
  json_extract(enclosures, '$[0].mime') AS enclosure_mime,
  json_extract(enclosures, '$[0].length') AS enclosure_length
FROM articles WHERE json_array_length(enclosures) > 0;
