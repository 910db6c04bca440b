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

-- A request that began before its user was disabled adds and changes nothing. It may delete:
-- `user remove` deletes in the name of the user. The row of the user is locked until the end of the
-- transaction, so that disabling waits for it. A disabled user is an unknown one as a new member.
CREATE POLICY owner_locks ON users TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE FUNCTION app_is_enabled() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
BEGIN
    PERFORM FROM users WHERE id = app_user_id() AND disabled IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RAISE 'the user is disabled or unknown' USING ERRCODE = 'no_data_found';
    END IF;
    RETURN true;
END $$;
CREATE FUNCTION app_can_join(member uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
BEGIN
    PERFORM FROM users WHERE id = member AND disabled IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RAISE 'the member is disabled or unknown' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION app_is_enabled, app_can_join FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app_is_enabled TO pincite_app;
GRANT EXECUTE ON FUNCTION app_can_join TO pincite_app, pincite_operator;
DO $$ DECLARE name text; BEGIN
    FOREACH name IN ARRAY ARRAY['spaces', 'space_members', 'feeds', 'documents', 'conversations',
        'turns', 'facts']
    LOOP
        EXECUTE format('CREATE POLICY enabled_adds ON %I AS RESTRICTIVE FOR INSERT TO pincite_app
            WITH CHECK ((SELECT app_is_enabled()))', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['spaces', 'space_members', 'documents']
    LOOP
        EXECUTE format('CREATE POLICY enabled_changes ON %I AS RESTRICTIVE FOR UPDATE
            TO pincite_app USING (true) WITH CHECK ((SELECT app_is_enabled()))', name);
    END LOOP;
END $$;
CREATE POLICY enabled_joins ON space_members AS RESTRICTIVE FOR INSERT
    TO pincite_app, pincite_operator WITH CHECK (app_can_join(user_id));
CREATE POLICY enabled_owns ON space_members AS RESTRICTIVE FOR UPDATE
    TO pincite_app, pincite_operator USING (true)
    WITH CHECK (CASE WHEN role = 'owner' THEN app_can_join(user_id) ELSE true END);
CREATE OR REPLACE VIEW my_users WITH (security_invoker = true) AS
    SELECT u.id, u.name, u.email, u.created, s.id AS personal
    FROM users u JOIN spaces s ON s.personal_of = u.id WHERE u.disabled IS NULL;

-- The operator hands over a space whose owner is disabled.
CREATE POLICY operator_gives ON space_members FOR INSERT TO pincite_operator
    WITH CHECK (role = 'owner' AND space_id NOT IN (SELECT id FROM spaces)
        AND space_id IN (SELECT m.space_id FROM space_members m JOIN users u ON u.id = m.user_id
            WHERE m.role = 'owner' AND u.disabled IS NOT NULL));
CREATE POLICY operator_gives_more ON space_members FOR UPDATE TO pincite_operator
    USING (space_id NOT IN (SELECT id FROM spaces)
        AND space_id IN (SELECT m.space_id FROM space_members m JOIN users u ON u.id = m.user_id
            WHERE m.role = 'owner' AND u.disabled IS NOT NULL))
    WITH CHECK (role = 'owner');
GRANT INSERT, UPDATE (role) ON space_members TO pincite_operator;
