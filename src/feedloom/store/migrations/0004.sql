-- Bookmarks are found by their words: folded, with a space on both sides.

ALTER TABLE bookmarks ADD COLUMN words TEXT NOT NULL DEFAULT '';

UPDATE bookmarks SET words = ' ' || lower(title || ' ' || description || ' ' || summary || ' ' || content) || ' ';
