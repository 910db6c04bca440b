#!/bin/sh
# Makes the database and its roles, once, as the superuser of PostgreSQL 15 or newer. Passwords come
# from the environment: KEEPER_PASSWORD, WEB_PASSWORD, WORKS_PASSWORD, BACKUP_PASSWORD.
set -eu
: "${KEEPER_PASSWORD:?}" "${WEB_PASSWORD:?}" "${WORKS_PASSWORD:?}" "${BACKUP_PASSWORD:?}"
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv keeper KEEPER_PASSWORD
\getenv web WEB_PASSWORD
\getenv works WORKS_PASSWORD
\getenv backup BACKUP_PASSWORD
CREATE ROLE pincite_app NOLOGIN;
CREATE ROLE pincite_operator NOLOGIN;
CREATE ROLE keeper LOGIN CREATEROLE PASSWORD :'keeper';
CREATE ROLE web LOGIN PASSWORD :'web' IN ROLE pincite_app;
CREATE ROLE works LOGIN PASSWORD :'works' IN ROLE pincite_operator;
-- Reads all rows for pg_dump, which row level security would hide; writes nothing.
CREATE ROLE backup LOGIN BYPASSRLS PASSWORD :'backup' IN ROLE pg_read_all_data;
CREATE DATABASE pincite OWNER keeper ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE pincite FROM PUBLIC;
GRANT CONNECT ON DATABASE pincite TO keeper, web, works, backup;
SQL
