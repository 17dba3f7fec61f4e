-- What is unread, newest first, over all feeds: the list people open most.

CREATE INDEX article_states_unread_by_time ON article_states (user_id, published_at, item_no) WHERE unread AND hidden_at IS NULL;
