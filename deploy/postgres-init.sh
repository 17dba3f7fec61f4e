#!/bin/sh
# Create Feedloom's database and its two roles. Run once, as PostgreSQL's superuser:
#
#   FEEDLOOM_WEB_DB_PASSWORD=... FEEDLOOM_WORKER_DB_PASSWORD=... deploy/postgres-init.sh
#
# The worker role owns the database and may change its schema. The web role owns nothing:
# row-level security decides what it sees. Neither may bypass it. The usual PG*
# variables say where the server is.
set -eu

: "${FEEDLOOM_WEB_DB_PASSWORD:?is the password the web role gets}"
: "${FEEDLOOM_WORKER_DB_PASSWORD:?is the password the worker role gets}"

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
  --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv web_password FEEDLOOM_WEB_DB_PASSWORD
\getenv worker_password FEEDLOOM_WORKER_DB_PASSWORD
CREATE ROLE feedloom_worker LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
  PASSWORD :'worker_password';
CREATE ROLE feedloom_web LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
  PASSWORD :'web_password';
CREATE DATABASE feedloom OWNER feedloom_worker ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE feedloom FROM PUBLIC;
GRANT CONNECT ON DATABASE feedloom TO feedloom_web;
SQL
