-- How a person wants the list of one feed or folder, and after how many days its unread
-- articles count as read.
ALTER TABLE subscriptions ADD COLUMN list_settings {json};

ALTER TABLE subscriptions ADD COLUMN read_after_days INTEGER CHECK (read_after_days > 0);

ALTER TABLE folders ADD COLUMN list_settings {json};

ALTER TABLE folders ADD COLUMN read_after_days INTEGER CHECK (read_after_days > 0);
