UPDATE analyses SET clickbait = json_extract(analyzer_result, '$.clickbait'),
  slant = json_extract(analyzer_result, '$.framing'),
  calm_title = nullif(json_extract(analyzer_result, '$.title_corrected'),
    json_extract(analyzer_result, '$.title_original'))
WHERE model <> 'offline-1';

CREATE TABLE analyses_2 (
  article_id BIGINT PRIMARY KEY REFERENCES articles (id) ON DELETE CASCADE,
  analyzer_result {json} NOT NULL,
  score DOUBLE PRECISION,
  model TEXT NOT NULL,
  prompt_version TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  created_at {time} NOT NULL,
  clickbait DOUBLE PRECISION,
  slant DOUBLE PRECISION,
  calm_title TEXT
);

INSERT INTO analyses_2 SELECT article_id, analyzer_result, score, model, prompt_version,
  content_hash, created_at, clickbait, slant, calm_title FROM analyses;

DROP TABLE analyses;

ALTER TABLE analyses_2 RENAME TO analyses;
