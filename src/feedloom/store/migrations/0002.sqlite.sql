CREATE VIRTUAL TABLE article_index USING fts5 (title, author, body, tokenize = 'unicode61 remove_diacritics 0');

CREATE VIRTUAL TABLE feed_index USING fts5 (words, tokenize = 'unicode61 remove_diacritics 0');
