-- Tables, and in front of each what one user sees of it: connections of users reach views and
-- their triggers alone (sqlite.py). Times are ISO 8601 in UTC, all of one length.

CREATE TABLE users (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, created TEXT NOT NULL);

CREATE TABLE spaces (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, personal_of TEXT UNIQUE REFERENCES users,
    created TEXT NOT NULL);

CREATE TABLE space_members (
    space_id TEXT NOT NULL REFERENCES spaces, user_id TEXT NOT NULL REFERENCES users,
    role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
    PRIMARY KEY (user_id, space_id)) WITHOUT ROWID;
CREATE INDEX members_of_space ON space_members (space_id, user_id);

CREATE TABLE sources (
    space_id TEXT NOT NULL REFERENCES spaces, id TEXT NOT NULL, created TEXT NOT NULL,
    PRIMARY KEY (space_id, id)) WITHOUT ROWID;

CREATE TABLE feeds (
    id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES spaces, name TEXT NOT NULL,
    created TEXT NOT NULL, UNIQUE (space_id, id));

CREATE TABLE documents (
    id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES spaces,
    user_id TEXT NOT NULL REFERENCES users, filename TEXT NOT NULL, content_hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'indexing', 'ready', 'failed')),
    version INTEGER NOT NULL, indexed_version INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '', metadata TEXT NOT NULL DEFAULT '{}', given TEXT NOT NULL,
    created TEXT NOT NULL, updated TEXT NOT NULL, UNIQUE (space_id, id));

CREATE TABLE feed_documents (
    space_id TEXT NOT NULL, feed_id TEXT NOT NULL, document_id TEXT NOT NULL,
    PRIMARY KEY (feed_id, document_id),
    FOREIGN KEY (space_id, feed_id) REFERENCES feeds (space_id, id),
    FOREIGN KEY (space_id, document_id) REFERENCES documents (space_id, id)) WITHOUT ROWID;
CREATE INDEX feeds_of_document ON feed_documents (space_id, document_id);
CREATE INDEX documents_of_feed ON feed_documents (space_id, feed_id);

CREATE TABLE document_sources (
    space_id TEXT NOT NULL, document_id TEXT NOT NULL, source_id TEXT NOT NULL,
    PRIMARY KEY (document_id, source_id),
    FOREIGN KEY (space_id, document_id) REFERENCES documents (space_id, id),
    FOREIGN KEY (space_id, source_id) REFERENCES sources (space_id, id)) WITHOUT ROWID;
CREATE INDEX sources_of_document ON document_sources (space_id, document_id);
CREATE INDEX documents_of_source ON document_sources (space_id, source_id);

-- What is deleted, until the index is without it. No user sees it.
CREATE TABLE removed_documents (
    id TEXT PRIMARY KEY, space_id TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users,
    filename TEXT NOT NULL, content_hash TEXT NOT NULL, bytes INTEGER NOT NULL,
    version INTEGER NOT NULL, indexed_version INTEGER NOT NULL, error TEXT NOT NULL,
    created TEXT NOT NULL, updated TEXT NOT NULL);

-- One for each document, so that no two work on it.
CREATE TABLE jobs (
    id TEXT PRIMARY KEY, document_id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0, losses INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '', worker TEXT NOT NULL DEFAULT '', due TEXT NOT NULL,
    changed TEXT NOT NULL);
CREATE INDEX jobs_due ON jobs (due, id) WHERE state IN ('waiting', 'running');

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users, name TEXT NOT NULL,
    prefix TEXT NOT NULL UNIQUE, secret_hash TEXT NOT NULL, scopes TEXT NOT NULL,
    space_id TEXT REFERENCES spaces, created TEXT NOT NULL, expires TEXT, last_used TEXT,
    revoked TEXT);
CREATE INDEX keys_of_user ON api_keys (user_id);
CREATE INDEX keys_of_space ON api_keys (space_id);
CREATE INDEX documents_by_content ON documents (space_id, content_hash);
CREATE INDEX documents_of_user ON documents (user_id);

-- What follows from a change, whoever makes it. No cascades: connections of users would have to be
-- allowed to delete from tables for them.
CREATE TRIGGER space_made AFTER INSERT ON spaces BEGIN
    INSERT INTO space_members VALUES (NEW.id, coalesce(NEW.personal_of, app_user_id()), 'owner');
END;
CREATE TRIGGER space_leaves BEFORE DELETE ON spaces BEGIN
    DELETE FROM documents WHERE space_id = OLD.id;
    DELETE FROM feeds WHERE space_id = OLD.id;
    DELETE FROM sources WHERE space_id = OLD.id;
    DELETE FROM api_keys WHERE space_id = OLD.id;
    DELETE FROM space_members WHERE space_id = OLD.id;
END;
CREATE TRIGGER feed_leaves BEFORE DELETE ON feeds BEGIN
    DELETE FROM feed_documents WHERE feed_id = OLD.id;
END;
CREATE TRIGGER document_made AFTER INSERT ON documents BEGIN
    INSERT INTO jobs (id, document_id, user_id, state, due, changed)
    VALUES (app_new_id(), NEW.id, app_user_id(), 'waiting', NEW.updated, NEW.updated);
END;
CREATE TRIGGER document_asked AFTER UPDATE OF version ON documents BEGIN
    UPDATE jobs SET user_id = app_user_id(), attempts = 0, losses = 0, reason = '',
        state = 'waiting', due = NEW.updated, changed = NEW.updated
    WHERE document_id = NEW.id AND state IN ('done', 'dead', 'waiting');
END;
CREATE TRIGGER document_leaves BEFORE DELETE ON documents BEGIN
    INSERT INTO removed_documents
    VALUES (OLD.id, OLD.space_id, app_user_id(), OLD.filename, OLD.content_hash, OLD.bytes,
        OLD.version + 1, OLD.indexed_version, '', OLD.created, app_now());
    UPDATE jobs SET user_id = app_user_id(), attempts = 0, losses = 0, reason = '',
        state = 'waiting', due = app_now(), changed = app_now()
    WHERE document_id = OLD.id AND state IN ('done', 'dead', 'waiting');
    DELETE FROM feed_documents WHERE space_id = OLD.space_id AND document_id = OLD.id;
    DELETE FROM document_sources WHERE document_id = OLD.id;
END;

-- What a user sees.
CREATE VIEW my_users AS
    SELECT u.id, u.name, u.email, u.created, s.id AS personal
    FROM users u JOIN spaces s ON s.personal_of = u.id WHERE u.id = app_user_id();
CREATE VIEW my_members AS
    SELECT space_id, user_id, role FROM space_members
    WHERE space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
CREATE VIEW my_spaces AS
    SELECT id, name, personal_of, created FROM spaces
    WHERE id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
CREATE VIEW my_sources AS
    SELECT space_id, id, created FROM sources
    WHERE space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
CREATE VIEW my_feeds AS
    SELECT id, space_id, name, created FROM feeds
    WHERE space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
CREATE VIEW my_documents AS
    SELECT id, space_id, user_id, filename, content_hash, bytes, status, version, indexed_version,
        error, metadata, given, created, updated
    FROM documents
    WHERE space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
CREATE VIEW my_feed_documents AS
    SELECT space_id, feed_id, document_id FROM feed_documents
    WHERE space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
CREATE VIEW my_document_sources AS
    SELECT space_id, document_id, source_id FROM document_sources
    WHERE space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
CREATE VIEW my_keys AS
    SELECT id, user_id, name, prefix, scopes, space_id, created, expires, last_used, revoked
    FROM api_keys WHERE user_id = app_user_id();

-- What a user may do with it.
CREATE TRIGGER my_spaces_insert INSTEAD OF INSERT ON my_spaces BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.personal_of IS NOT NULL;
    INSERT INTO spaces VALUES (NEW.id, NEW.name, NULL, NEW.created);
END;
CREATE TRIGGER my_spaces_update INSTEAD OF UPDATE OF name ON my_spaces BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = OLD.id AND user_id = app_user_id() AND role = 'owner');
    UPDATE spaces SET name = NEW.name WHERE id = OLD.id;
END;
CREATE TRIGGER my_spaces_delete INSTEAD OF DELETE ON my_spaces BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE OLD.personal_of IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM space_members
            WHERE space_id = OLD.id AND user_id = app_user_id() AND role = 'owner');
    DELETE FROM spaces WHERE id = OLD.id;
END;

CREATE TRIGGER my_members_insert INSTEAD OF INSERT ON my_members BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1
        FROM space_members m JOIN spaces s ON s.id = m.space_id AND s.personal_of IS NULL
        WHERE m.space_id = NEW.space_id AND m.user_id = app_user_id() AND m.role = 'owner');
    INSERT INTO space_members VALUES (NEW.space_id, NEW.user_id, NEW.role);
END;
CREATE TRIGGER my_members_update INSTEAD OF UPDATE OF role ON my_members BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1
        FROM space_members m JOIN spaces s ON s.id = m.space_id AND s.personal_of IS NULL
        WHERE m.space_id = OLD.space_id AND m.user_id = app_user_id() AND m.role = 'owner');
    UPDATE space_members SET role = NEW.role
    WHERE space_id = OLD.space_id AND user_id = OLD.user_id;
END;
CREATE TRIGGER my_members_delete INSTEAD OF DELETE ON my_members BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1
        FROM space_members m JOIN spaces s ON s.id = m.space_id AND s.personal_of IS NULL
        WHERE m.space_id = OLD.space_id AND m.user_id = app_user_id()
            AND (m.role = 'owner' OR OLD.user_id = app_user_id()));
    DELETE FROM space_members WHERE space_id = OLD.space_id AND user_id = OLD.user_id;
END;

CREATE TRIGGER my_sources_insert INSTEAD OF INSERT ON my_sources BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO sources VALUES (NEW.space_id, NEW.id, NEW.created);
END;

CREATE TRIGGER my_feeds_insert INSTEAD OF INSERT ON my_feeds BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO feeds VALUES (NEW.id, NEW.space_id, NEW.name, NEW.created);
END;
CREATE TRIGGER my_feeds_delete INSTEAD OF DELETE ON my_feeds BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = OLD.space_id AND user_id = app_user_id() AND role <> 'viewer');
    DELETE FROM feeds WHERE id = OLD.id;
END;

CREATE TRIGGER my_documents_insert INSTEAD OF INSERT ON my_documents BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.user_id <> app_user_id()
        OR NOT EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO documents (id, space_id, user_id, filename, content_hash, bytes, status, version,
        given, created, updated)
    VALUES (NEW.id, NEW.space_id, NEW.user_id, NEW.filename, NEW.content_hash, NEW.bytes,
        'pending', 1, NEW.given, NEW.created, NEW.updated);
END;
CREATE TRIGGER my_documents_update INSTEAD OF UPDATE OF space_id, filename, content_hash, bytes,
    status, version, error, given, updated ON my_documents BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE 2 <> (SELECT
        EXISTS (SELECT 1 FROM space_members
            WHERE space_id = OLD.space_id AND user_id = app_user_id() AND role <> 'viewer')
        + EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer'));
    UPDATE documents SET space_id = NEW.space_id, filename = NEW.filename,
        content_hash = NEW.content_hash, bytes = NEW.bytes, status = NEW.status,
        version = NEW.version, error = NEW.error, given = NEW.given, updated = NEW.updated
    WHERE id = OLD.id;
END;
CREATE TRIGGER my_documents_delete INSTEAD OF DELETE ON my_documents BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = OLD.space_id AND user_id = app_user_id() AND role <> 'viewer');
    DELETE FROM documents WHERE id = OLD.id;
END;

CREATE TRIGGER my_feed_documents_insert INSTEAD OF INSERT ON my_feed_documents BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO feed_documents VALUES (NEW.space_id, NEW.feed_id, NEW.document_id);
END;
CREATE TRIGGER my_feed_documents_delete INSTEAD OF DELETE ON my_feed_documents BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = OLD.space_id AND user_id = app_user_id() AND role <> 'viewer');
    DELETE FROM feed_documents WHERE feed_id = OLD.feed_id AND document_id = OLD.document_id;
END;

CREATE TRIGGER my_document_sources_insert INSTEAD OF INSERT ON my_document_sources BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO document_sources VALUES (NEW.space_id, NEW.document_id, NEW.source_id);
END;
CREATE TRIGGER my_document_sources_delete INSTEAD OF DELETE ON my_document_sources BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = OLD.space_id AND user_id = app_user_id() AND role <> 'viewer');
    DELETE FROM document_sources
    WHERE document_id = OLD.document_id AND source_id = OLD.source_id;
END;

CREATE TRIGGER my_keys_update INSTEAD OF UPDATE OF revoked ON my_keys BEGIN
    UPDATE api_keys SET revoked = coalesce(OLD.revoked, NEW.revoked) WHERE id = OLD.id;
END;
