ALTER TABLE rules DROP CONSTRAINT rules_field_check;

ALTER TABLE rules ADD CONSTRAINT rules_field_check CHECK (field IN ('title', 'author',
  'content', 'url', 'any', 'clickbait', 'slant'));
