-- Nothing reads when an icon was looked for. An article's first enclosure stands in
-- ``enclosures`` already: a view derives its columns for those who look into the database.

ALTER TABLE feeds DROP COLUMN favicon_checked_at;

ALTER TABLE articles DROP COLUMN enclosure_url;

ALTER TABLE articles DROP COLUMN enclosure_mime;

ALTER TABLE articles DROP COLUMN enclosure_length;
