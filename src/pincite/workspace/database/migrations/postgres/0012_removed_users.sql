-- A disabled user can do nothing. Of a removed one only the id is left: documents in spaces of others
-- name who uploaded them, and a link to an issuer keeps the user from being made again.
ALTER TABLE users ADD COLUMN disabled timestamptz;
ALTER TABLE users ADD COLUMN removed timestamptz;

-- The operator deletes what removed users had, and nothing of others.
CREATE POLICY operator_changes ON users FOR UPDATE TO pincite_operator
    USING (true) WITH CHECK (true);
CREATE POLICY operator_removes ON spaces FOR DELETE TO pincite_operator
    USING (personal_of IN (SELECT id FROM users WHERE removed IS NOT NULL));
CREATE POLICY operator_removes ON api_keys FOR DELETE TO pincite_operator
    USING (user_id IN (SELECT id FROM users WHERE removed IS NOT NULL));
CREATE POLICY operator_reads ON conversations FOR SELECT TO pincite_operator
    USING (user_id IN (SELECT id FROM users WHERE removed IS NOT NULL));
CREATE POLICY operator_removes ON conversations FOR DELETE TO pincite_operator
    USING (user_id IN (SELECT id FROM users WHERE removed IS NOT NULL));
CREATE POLICY operator_reads ON facts FOR SELECT TO pincite_operator
    USING (user_id IN (SELECT id FROM users WHERE removed IS NOT NULL));
CREATE POLICY operator_removes ON facts FOR DELETE TO pincite_operator
    USING (user_id IN (SELECT id FROM users WHERE removed IS NOT NULL));

GRANT UPDATE (name, email, disabled, removed) ON users TO pincite_operator;
GRANT DELETE ON spaces, api_keys, conversations, facts TO pincite_operator;
GRANT SELECT (user_id) ON conversations, facts TO pincite_operator;
GRANT UPDATE (name) ON api_keys TO pincite_operator;
