ALTER TABLE analyses ALTER COLUMN score DROP NOT NULL;

UPDATE analyses SET clickbait = (analyzer_result::json ->> 'clickbait')::double precision,
  slant = (analyzer_result::json ->> 'framing')::double precision,
  calm_title = nullif(analyzer_result::json ->> 'title_corrected',
    analyzer_result::json ->> 'title_original')
WHERE model <> 'offline-1';
