-- A disabled user can do nothing. Of a removed one only the id is left: documents in spaces of others
-- name who uploaded them, and a link to an issuer keeps the user from being made again.
ALTER TABLE users ADD COLUMN disabled TEXT;
ALTER TABLE users ADD COLUMN removed TEXT;

-- A request that began before its user was disabled adds and changes nothing. It may delete:
-- `user remove` deletes in the name of the user.
DROP TRIGGER my_spaces_insert;
DROP TRIGGER my_spaces_update;
DROP TRIGGER my_members_insert;
DROP TRIGGER my_members_update;
DROP TRIGGER my_feeds_insert;
DROP TRIGGER my_documents_insert;
DROP TRIGGER my_documents_update;
DROP TRIGGER my_conversations_insert;
DROP TRIGGER my_turns_insert;
DROP TRIGGER my_facts_insert;
CREATE TRIGGER my_spaces_insert INSTEAD OF INSERT ON my_spaces BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.personal_of IS NOT NULL;
    INSERT INTO spaces VALUES (NEW.id, NEW.name, NULL, NEW.created);
END;
CREATE TRIGGER my_spaces_update INSTEAD OF UPDATE OF name ON my_spaces BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = OLD.id AND user_id = app_user_id() AND role = 'owner');
    UPDATE spaces SET name = NEW.name WHERE id = OLD.id;
END;
CREATE TRIGGER my_members_insert INSTEAD OF INSERT ON my_members BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1
        FROM space_members m JOIN spaces s ON s.id = m.space_id AND s.personal_of IS NULL
        WHERE m.space_id = NEW.space_id AND m.user_id = app_user_id() AND m.role = 'owner');
    INSERT INTO space_members VALUES (NEW.space_id, coalesce((SELECT id FROM users
        WHERE id = NEW.user_id AND disabled IS NULL), ''), NEW.role);  -- '' is not a user
END;
CREATE TRIGGER my_members_update INSTEAD OF UPDATE OF role ON my_members BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1
        FROM space_members m JOIN spaces s ON s.id = m.space_id AND s.personal_of IS NULL
        WHERE m.space_id = OLD.space_id AND m.user_id = app_user_id() AND m.role = 'owner');
    SELECT RAISE(ABORT, 'unknown user') WHERE NEW.role = 'owner'
        AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id AND disabled IS NULL);
    UPDATE space_members SET role = NEW.role
    WHERE space_id = OLD.space_id AND user_id = OLD.user_id;
END;
CREATE TRIGGER my_feeds_insert INSTEAD OF INSERT ON my_feeds BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO feeds VALUES (NEW.id, NEW.space_id, NEW.name, NEW.created);
END;
CREATE TRIGGER my_documents_insert INSTEAD OF INSERT ON my_documents BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.user_id <> app_user_id()
        OR NOT EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO documents (id, space_id, user_id, filename, content_hash, bytes, status, version,
        given, created, updated)
    VALUES (NEW.id, NEW.space_id, NEW.user_id, NEW.filename, NEW.content_hash, NEW.bytes,
        'pending', 1, NEW.given, NEW.created, NEW.updated);
END;
CREATE TRIGGER my_documents_update INSTEAD OF UPDATE OF space_id, filename, content_hash, bytes,
    status, version, error, given, updated, text_version ON my_documents BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE 2 <> (SELECT
        EXISTS (SELECT 1 FROM space_members
            WHERE space_id = OLD.space_id AND user_id = app_user_id() AND role <> 'viewer')
        + EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer'));
    UPDATE documents SET space_id = NEW.space_id, filename = NEW.filename,
        content_hash = NEW.content_hash, bytes = NEW.bytes, status = NEW.status,
        version = NEW.version, error = NEW.error, given = NEW.given, updated = NEW.updated,
        text_version = NEW.text_version
    WHERE id = OLD.id;
END;
CREATE TRIGGER my_conversations_insert INSTEAD OF INSERT ON my_conversations BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.user_id <> app_user_id()
        OR (NEW.space_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id()));
    INSERT INTO conversations (id, user_id, space_id, title, touched, created, updated)
    VALUES (NEW.id, app_user_id(), NEW.space_id, NEW.title, NEW.touched, NEW.created, NEW.updated);
END;
CREATE TRIGGER my_turns_insert INSTEAD OF INSERT ON my_turns BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM conversations c
        WHERE c.id = NEW.conversation_id AND c.user_id = app_user_id() AND (c.space_id IS NULL
            OR c.space_id IN (SELECT space_id FROM space_members
                WHERE user_id = app_user_id())));
    INSERT INTO turns (conversation_id, number, role, body, at, citations, kind)
    VALUES (NEW.conversation_id, NEW.number, NEW.role, NEW.body, NEW.at, NEW.citations,
        coalesce(NEW.kind, ''));
END;
CREATE TRIGGER my_facts_insert INSTEAD OF INSERT ON my_facts BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.user_id <> app_user_id()
        OR (NEW.space_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id()));
    INSERT INTO facts (user_id, id, space_id, number, body, at)
    VALUES (app_user_id(), NEW.id, NEW.space_id, NEW.number, NEW.body, NEW.at);
END;

DROP VIEW my_users;
CREATE VIEW my_users AS
    SELECT u.id, u.name, u.email, u.created, s.id AS personal
    FROM users u JOIN spaces s ON s.personal_of = u.id
    WHERE u.id = app_user_id() AND u.disabled IS NULL;
