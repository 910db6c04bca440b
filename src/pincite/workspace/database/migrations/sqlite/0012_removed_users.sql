-- A disabled user can do nothing. Of a removed one only the id is left: documents in spaces of others
-- name who uploaded them, and a link to an issuer keeps the user from being made again.
ALTER TABLE users ADD COLUMN disabled TEXT;
ALTER TABLE users ADD COLUMN removed TEXT;
