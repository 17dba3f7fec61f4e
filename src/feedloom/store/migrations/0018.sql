-- Analyses: what was not judged has no score; what readers' lists need stands in columns.
ALTER TABLE analyses ADD COLUMN clickbait DOUBLE PRECISION;

ALTER TABLE analyses ADD COLUMN slant DOUBLE PRECISION;

-- NULL where it is the publisher's title.
ALTER TABLE analyses ADD COLUMN calm_title TEXT;
