-- When a mark was taken back: what was done without a network and is sent later is compared
-- with it. When a mark was made is in ``read_at`` and ``starred_at``.
ALTER TABLE article_states ADD COLUMN unread_at {time};

ALTER TABLE article_states ADD COLUMN unstarred_at {time};

ALTER TABLE article_states ADD COLUMN unsaved_at {time};
