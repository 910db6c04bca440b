-- Tables, and who may do what with which rows. Three roles: the owner of the tables runs this file;
-- pincite_app is what sessions of users connect as, in whose transactions app.user_id is set;
-- pincite_operator makes users and keys and works on jobs. Row level security is forced on every
-- table, so for the owner, too. A command without a policy is refused.

DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pincite_app') THEN
        CREATE ROLE pincite_app NOLOGIN NOSUPERUSER NOBYPASSRLS;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pincite_operator') THEN
        CREATE ROLE pincite_operator NOLOGIN NOSUPERUSER NOBYPASSRLS;
    END IF;
END $$;
GRANT USAGE ON SCHEMA pincite TO pincite_app, pincite_operator;
GRANT SELECT ON schema_steps TO pincite_app, pincite_operator;

CREATE TABLE users (
    id uuid PRIMARY KEY, name text NOT NULL, email text NOT NULL, created timestamptz NOT NULL);

CREATE TABLE spaces (
    id uuid PRIMARY KEY, name text NOT NULL, personal_of uuid UNIQUE REFERENCES users,
    created timestamptz NOT NULL);

CREATE TABLE space_members (
    space_id uuid NOT NULL REFERENCES spaces ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users,
    role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
    PRIMARY KEY (user_id, space_id));
CREATE INDEX members_of_space ON space_members (space_id, user_id);

CREATE TABLE sources (
    space_id uuid NOT NULL REFERENCES spaces ON DELETE CASCADE, id text NOT NULL,
    created timestamptz NOT NULL, PRIMARY KEY (space_id, id));

CREATE TABLE feeds (
    id uuid PRIMARY KEY, space_id uuid NOT NULL REFERENCES spaces ON DELETE CASCADE,
    name text NOT NULL, created timestamptz NOT NULL, UNIQUE (space_id, id));

CREATE TABLE documents (
    id uuid PRIMARY KEY, space_id uuid NOT NULL REFERENCES spaces ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users, filename text NOT NULL, content_hash text NOT NULL,
    bytes bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'indexing', 'ready', 'failed')),
    version bigint NOT NULL, indexed_version bigint NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '', metadata text NOT NULL DEFAULT '{}', given text NOT NULL,
    created timestamptz NOT NULL, updated timestamptz NOT NULL, UNIQUE (space_id, id));
CREATE INDEX documents_by_content ON documents (space_id, content_hash);
CREATE INDEX documents_of_user ON documents (user_id);

-- Their keys carry the space: checks of foreign keys see every row.
CREATE TABLE feed_documents (
    space_id uuid NOT NULL, feed_id uuid NOT NULL, document_id uuid NOT NULL,
    PRIMARY KEY (feed_id, document_id),
    FOREIGN KEY (space_id, feed_id) REFERENCES feeds (space_id, id) ON DELETE CASCADE,
    FOREIGN KEY (space_id, document_id) REFERENCES documents (space_id, id) ON DELETE CASCADE);
CREATE INDEX feeds_of_document ON feed_documents (space_id, document_id);
CREATE INDEX documents_of_feed ON feed_documents (space_id, feed_id);
CREATE INDEX feeds_by_document ON feed_documents (document_id);

CREATE TABLE document_sources (
    space_id uuid NOT NULL, document_id uuid NOT NULL, source_id text NOT NULL,
    PRIMARY KEY (document_id, source_id),
    FOREIGN KEY (space_id, document_id) REFERENCES documents (space_id, id) ON DELETE CASCADE,
    FOREIGN KEY (space_id, source_id) REFERENCES sources (space_id, id) ON DELETE CASCADE);
CREATE INDEX sources_of_document ON document_sources (space_id, document_id);
CREATE INDEX documents_of_source ON document_sources (space_id, source_id);

-- What is deleted, until the index is without it. No user sees it.
CREATE TABLE removed_documents (
    id uuid PRIMARY KEY, space_id uuid NOT NULL, user_id uuid NOT NULL REFERENCES users,
    filename text NOT NULL, content_hash text NOT NULL, bytes bigint NOT NULL,
    version bigint NOT NULL, indexed_version bigint NOT NULL, error text NOT NULL,
    created timestamptz NOT NULL, updated timestamptz NOT NULL);

-- One for each document, so that no two work on it.
CREATE TABLE jobs (
    id uuid PRIMARY KEY, document_id uuid NOT NULL UNIQUE, user_id uuid NOT NULL REFERENCES users,
    state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'dead')),
    attempts integer NOT NULL DEFAULT 0, losses integer NOT NULL DEFAULT 0,
    reason text NOT NULL DEFAULT '', worker text NOT NULL DEFAULT '', due timestamptz NOT NULL,
    changed timestamptz NOT NULL);
CREATE INDEX jobs_due ON jobs (due, id) WHERE state IN ('waiting', 'running');

CREATE TABLE api_keys (
    id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users, name text NOT NULL,
    prefix text NOT NULL UNIQUE, secret_hash text NOT NULL, scopes text NOT NULL,
    space_id uuid REFERENCES spaces ON DELETE CASCADE, created timestamptz NOT NULL,
    expires timestamptz, last_used timestamptz, revoked timestamptz);
CREATE INDEX keys_of_user ON api_keys (user_id);
CREATE INDEX keys_of_space ON api_keys (space_id);

-- JSON arrays as tables. Not in SQL, which would be put into the query: a cast within a condition
-- may tell of its values, so that no index could be used before the policies have been asked.
CREATE FUNCTION id_list(ids text) RETURNS TABLE (value uuid)
    LANGUAGE plpgsql IMMUTABLE ROWS 100 SET search_path = pg_catalog AS
    $$ BEGIN RETURN QUERY SELECT one::uuid FROM json_array_elements_text(ids::json) AS one; END $$;
CREATE FUNCTION text_list(texts text) RETURNS TABLE (value text)
    LANGUAGE plpgsql IMMUTABLE ROWS 100 SET search_path = pg_catalog AS
    $$ BEGIN RETURN QUERY SELECT one FROM json_array_elements_text(texts::json) AS one; END $$;

-- In whose name. Nobody's before it is set, and '' after a transaction that had set it.
CREATE FUNCTION app_user_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
    $$ SELECT NULLIF(current_setting('app.user_id', true), '')::uuid $$;

-- Spaces by the role of the user. They read memberships as the owner of the table, whose policy
-- below knows no more than the user's own: a policy of members that asked members would not end.
CREATE FUNCTION app_spaces() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pincite, pg_temp AS
    $$ SELECT space_id FROM space_members WHERE user_id = app_user_id() $$;
CREATE FUNCTION app_writable_spaces() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pincite, pg_temp AS
    $$ SELECT space_id FROM space_members WHERE user_id = app_user_id() AND role <> 'viewer' $$;
CREATE FUNCTION app_owned_spaces() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pincite, pg_temp AS
    $$ SELECT space_id FROM space_members WHERE user_id = app_user_id() AND role = 'owner' $$;

-- What follows from a change, whoever makes it.
CREATE FUNCTION on_space_made() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
BEGIN
    INSERT INTO space_members VALUES (NEW.id, coalesce(NEW.personal_of, app_user_id()), 'owner');
    RETURN NULL;
END $$;
CREATE TRIGGER space_made AFTER INSERT ON spaces
    FOR EACH ROW EXECUTE FUNCTION on_space_made();

CREATE FUNCTION on_document_made() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
BEGIN
    INSERT INTO jobs (id, document_id, user_id, state, due, changed)
    VALUES (gen_random_uuid(), NEW.id, NEW.user_id, 'waiting', NEW.updated, NEW.updated);
    RETURN NULL;
END $$;
CREATE TRIGGER document_made AFTER INSERT ON documents
    FOR EACH ROW EXECUTE FUNCTION on_document_made();

CREATE FUNCTION on_document_asked() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
BEGIN
    UPDATE jobs SET user_id = coalesce(app_user_id(), user_id), attempts = 0, losses = 0,
        reason = '', state = 'waiting', due = NEW.updated, changed = NEW.updated
    WHERE document_id = NEW.id AND state IN ('done', 'dead', 'waiting');
    RETURN NULL;
END $$;
CREATE TRIGGER document_asked AFTER UPDATE OF version ON documents
    FOR EACH ROW EXECUTE FUNCTION on_document_asked();

CREATE FUNCTION on_document_leaves() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
DECLARE
    who uuid := coalesce(app_user_id(), OLD.user_id);
BEGIN
    INSERT INTO removed_documents
    VALUES (OLD.id, OLD.space_id, who, OLD.filename, OLD.content_hash, OLD.bytes,
        OLD.version + 1, OLD.indexed_version, '', OLD.created, now());
    UPDATE jobs SET user_id = who, attempts = 0, losses = 0, reason = '', state = 'waiting',
        due = now(), changed = now()
    WHERE document_id = OLD.id AND state IN ('done', 'dead', 'waiting');
    RETURN OLD;
END $$;
CREATE TRIGGER document_leaves BEFORE DELETE ON documents
    FOR EACH ROW EXECUTE FUNCTION on_document_leaves();

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pincite FROM PUBLIC;
GRANT EXECUTE ON FUNCTION id_list, text_list, app_user_id TO pincite_app, pincite_operator;
GRANT EXECUTE ON FUNCTION app_spaces, app_writable_spaces, app_owned_spaces TO pincite_app;

DO $$ DECLARE name text; BEGIN
    FOREACH name IN ARRAY ARRAY['users', 'spaces', 'space_members', 'sources', 'feeds',
        'documents', 'feed_documents', 'document_sources', 'removed_documents', 'jobs',
        'api_keys', 'schema_steps']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    END LOOP;
END $$;

-- Of the owner: what the functions above need.
CREATE POLICY owner_steps ON schema_steps TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner_reads ON space_members FOR SELECT TO CURRENT_USER
    USING (user_id = (SELECT app_user_id()));
CREATE POLICY owner_adds ON space_members FOR INSERT TO CURRENT_USER WITH CHECK (true);
CREATE POLICY owner_jobs ON jobs TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner_adds ON removed_documents FOR INSERT TO CURRENT_USER WITH CHECK (true);

-- Of users.
CREATE POLICY app_steps ON schema_steps FOR SELECT TO pincite_app, pincite_operator USING (true);

CREATE POLICY app_reads ON users FOR SELECT TO pincite_app
    USING (id = (SELECT app_user_id()));

CREATE POLICY app_reads ON spaces FOR SELECT TO pincite_app
    USING (id IN (SELECT app_spaces()));
CREATE POLICY app_adds ON spaces FOR INSERT TO pincite_app
    WITH CHECK (personal_of IS NULL AND (SELECT app_user_id()) IS NOT NULL);
CREATE POLICY app_changes ON spaces FOR UPDATE TO pincite_app
    USING (id IN (SELECT app_owned_spaces())) WITH CHECK (id IN (SELECT app_owned_spaces()));
CREATE POLICY app_removes ON spaces FOR DELETE TO pincite_app
    USING (personal_of IS NULL AND id IN (SELECT app_owned_spaces()));

CREATE POLICY app_reads ON space_members FOR SELECT TO pincite_app
    USING (space_id IN (SELECT app_spaces()));
CREATE POLICY app_adds ON space_members FOR INSERT TO pincite_app
    WITH CHECK (space_id IN (SELECT id FROM spaces
        WHERE personal_of IS NULL AND id IN (SELECT app_owned_spaces())));
CREATE POLICY app_changes ON space_members FOR UPDATE TO pincite_app
    USING (space_id IN (SELECT id FROM spaces
        WHERE personal_of IS NULL AND id IN (SELECT app_owned_spaces())))
    WITH CHECK (space_id IN (SELECT id FROM spaces
        WHERE personal_of IS NULL AND id IN (SELECT app_owned_spaces())));
CREATE POLICY app_removes ON space_members FOR DELETE TO pincite_app
    USING (space_id IN (SELECT id FROM spaces WHERE personal_of IS NULL
        AND (id IN (SELECT app_owned_spaces()) OR user_id = (SELECT app_user_id()))));

CREATE POLICY app_reads ON sources FOR SELECT TO pincite_app
    USING (space_id IN (SELECT app_spaces()));
CREATE POLICY app_adds ON sources FOR INSERT TO pincite_app
    WITH CHECK (space_id IN (SELECT app_writable_spaces()));

CREATE POLICY app_reads ON feeds FOR SELECT TO pincite_app
    USING (space_id IN (SELECT app_spaces()));
CREATE POLICY app_adds ON feeds FOR INSERT TO pincite_app
    WITH CHECK (space_id IN (SELECT app_writable_spaces()));
CREATE POLICY app_removes ON feeds FOR DELETE TO pincite_app
    USING (space_id IN (SELECT app_writable_spaces()));

CREATE POLICY app_reads ON documents FOR SELECT TO pincite_app
    USING (space_id IN (SELECT app_spaces()));
CREATE POLICY app_adds ON documents FOR INSERT TO pincite_app
    WITH CHECK (user_id = (SELECT app_user_id()) AND space_id IN (SELECT app_writable_spaces()));
CREATE POLICY app_changes ON documents FOR UPDATE TO pincite_app
    USING (space_id IN (SELECT app_writable_spaces()))
    WITH CHECK (space_id IN (SELECT app_writable_spaces()));
CREATE POLICY app_removes ON documents FOR DELETE TO pincite_app
    USING (space_id IN (SELECT app_writable_spaces()));

CREATE POLICY app_reads ON feed_documents FOR SELECT TO pincite_app
    USING (space_id IN (SELECT app_spaces()));
CREATE POLICY app_adds ON feed_documents FOR INSERT TO pincite_app
    WITH CHECK (space_id IN (SELECT app_writable_spaces()));
CREATE POLICY app_removes ON feed_documents FOR DELETE TO pincite_app
    USING (space_id IN (SELECT app_writable_spaces()));

CREATE POLICY app_reads ON document_sources FOR SELECT TO pincite_app
    USING (space_id IN (SELECT app_spaces()));
CREATE POLICY app_adds ON document_sources FOR INSERT TO pincite_app
    WITH CHECK (space_id IN (SELECT app_writable_spaces()));
CREATE POLICY app_removes ON document_sources FOR DELETE TO pincite_app
    USING (space_id IN (SELECT app_writable_spaces()));

CREATE POLICY app_reads ON api_keys FOR SELECT TO pincite_app
    USING (user_id = (SELECT app_user_id()));
CREATE POLICY app_changes ON api_keys FOR UPDATE TO pincite_app
    USING (user_id = (SELECT app_user_id())) WITH CHECK (user_id = (SELECT app_user_id()));

-- Of the operator.
CREATE POLICY operator_reads ON users FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_adds ON users FOR INSERT TO pincite_operator WITH CHECK (true);
CREATE POLICY operator_reads ON spaces FOR SELECT TO pincite_operator
    USING (personal_of IS NOT NULL);
CREATE POLICY operator_adds ON spaces FOR INSERT TO pincite_operator
    WITH CHECK (personal_of IS NOT NULL);
CREATE POLICY operator_reads ON space_members FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_reads ON documents FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_changes ON documents FOR UPDATE TO pincite_operator
    USING (true) WITH CHECK (true);
CREATE POLICY operator_reads ON feed_documents FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_reads ON document_sources FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_reads ON removed_documents FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_removes ON removed_documents FOR DELETE TO pincite_operator USING (true);
CREATE POLICY operator_reads ON jobs FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_changes ON jobs FOR UPDATE TO pincite_operator
    USING (true) WITH CHECK (true);
CREATE POLICY operator_removes ON jobs FOR DELETE TO pincite_operator USING (true);
CREATE POLICY operator_reads ON api_keys FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_adds ON api_keys FOR INSERT TO pincite_operator WITH CHECK (true);
CREATE POLICY operator_changes ON api_keys FOR UPDATE TO pincite_operator
    USING (true) WITH CHECK (true);

GRANT SELECT ON users, spaces, space_members, sources, feeds, documents, feed_documents,
    document_sources TO pincite_app;
GRANT SELECT (id, user_id, name, prefix, scopes, space_id, created, expires, last_used, revoked),
    UPDATE (revoked) ON api_keys TO pincite_app;
GRANT INSERT, UPDATE (name), DELETE ON spaces TO pincite_app;
GRANT INSERT, UPDATE (role), DELETE ON space_members TO pincite_app;
GRANT INSERT ON sources TO pincite_app;
GRANT INSERT, DELETE ON feeds, feed_documents, document_sources TO pincite_app;
GRANT DELETE,
    INSERT (id, space_id, user_id, filename, content_hash, bytes, status, version, given, created,
        updated),
    UPDATE (space_id, filename, content_hash, bytes, status, version, error, given, updated)
    ON documents TO pincite_app;

GRANT SELECT ON users, spaces, space_members, documents, feed_documents, document_sources,
    removed_documents, jobs, api_keys TO pincite_operator;
GRANT INSERT ON users, spaces, api_keys TO pincite_operator;
GRANT UPDATE (indexed_version, metadata, status, error) ON documents TO pincite_operator;
GRANT UPDATE (last_used, revoked) ON api_keys TO pincite_operator;
GRANT UPDATE, DELETE ON jobs TO pincite_operator;
GRANT DELETE ON removed_documents TO pincite_operator;

-- What a user sees, under the names that every database has. They ask as who asks them.
CREATE VIEW my_users WITH (security_invoker = true) AS
    SELECT u.id, u.name, u.email, u.created, s.id AS personal
    FROM users u JOIN spaces s ON s.personal_of = u.id;
CREATE VIEW my_members WITH (security_invoker = true) AS
    SELECT space_id, user_id, role FROM space_members;
CREATE VIEW my_spaces WITH (security_invoker = true) AS
    SELECT id, name, personal_of, created FROM spaces;
CREATE VIEW my_sources WITH (security_invoker = true) AS
    SELECT space_id, id, created FROM sources;
CREATE VIEW my_feeds WITH (security_invoker = true) AS
    SELECT id, space_id, name, created FROM feeds;
CREATE VIEW my_documents WITH (security_invoker = true) AS
    SELECT id, space_id, user_id, filename, content_hash, bytes, status, version, indexed_version,
        error, metadata, given, created, updated
    FROM documents;
CREATE VIEW my_feed_documents WITH (security_invoker = true) AS
    SELECT space_id, feed_id, document_id FROM feed_documents;
CREATE VIEW my_document_sources WITH (security_invoker = true) AS
    SELECT space_id, document_id, source_id FROM document_sources;
CREATE VIEW my_keys WITH (security_invoker = true) AS
    SELECT id, user_id, name, prefix, scopes, space_id, created, expires, last_used, revoked
    FROM api_keys;
GRANT SELECT ON my_users TO pincite_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON my_members, my_spaces, my_sources, my_feeds, my_documents,
    my_feed_documents, my_document_sources TO pincite_app;
GRANT SELECT, UPDATE (revoked) ON my_keys TO pincite_app;
