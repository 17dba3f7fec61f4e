-- The time as all lease decisions see it: the database's own, fixed within a transaction.

CREATE FUNCTION now_us() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT (extract(epoch FROM now()) * 1000000)::bigint';
