-- Whoever adds a feed may read it already with a cookie or name of their own: those are few,
-- and are looked at each time.
CREATE INDEX subscriptions_apart ON subscriptions (user_id) WHERE cookie IS NOT NULL OR user_agent IS NOT NULL;
