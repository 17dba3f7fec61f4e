ALTER TABLE rules ADD COLUMN inverted BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE rules DROP CONSTRAINT rules_field_check;

ALTER TABLE rules ADD CONSTRAINT rules_field_check
  CHECK (field IN ('title', 'author', 'content', 'url', 'metadata', 'any', 'clickbait', 'slant'));
