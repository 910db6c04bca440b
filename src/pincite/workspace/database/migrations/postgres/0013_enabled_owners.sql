-- The owners of the user's spaces who are not disabled: one of them must stay. The function reads
-- users as the owner of the table: users cannot see each other.
CREATE FUNCTION app_enabled(member uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pincite, pg_temp AS
    $$ SELECT EXISTS (SELECT FROM users WHERE id = member AND disabled IS NULL) $$;
REVOKE ALL ON FUNCTION app_enabled FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app_enabled TO pincite_app;
CREATE VIEW my_enabled_owners WITH (security_invoker = true) AS
    SELECT space_id, user_id FROM space_members WHERE role = 'owner' AND app_enabled(user_id);
GRANT SELECT ON my_enabled_owners TO pincite_app;

-- A request that began before its user was disabled adds nothing to feeds, and no sources.
DO $$ DECLARE name text; BEGIN
    FOREACH name IN ARRAY ARRAY['sources', 'feed_documents', 'document_sources']
    LOOP
        EXECUTE format('CREATE POLICY enabled_adds ON %I AS RESTRICTIVE FOR INSERT TO pincite_app
            WITH CHECK ((SELECT app_is_enabled()))', name);
    END LOOP;
END $$;

-- Documents that failed before step 11, which workers try again.
CREATE INDEX documents_failed_before ON documents (id)
    WHERE status = 'failed' AND text_version = 0 AND indexed_version > 0;
