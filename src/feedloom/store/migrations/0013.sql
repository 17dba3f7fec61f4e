-- When it was looked whether a feed that is fetched over http answers over https as well.
ALTER TABLE feeds ADD COLUMN https_checked_at {time};
