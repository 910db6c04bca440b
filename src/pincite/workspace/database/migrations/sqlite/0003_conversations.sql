-- What users have said and were answered. Of one user alone, and where a key of one space has begun
-- it, to be read only while the user is a member of that space.
CREATE TABLE conversations (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users,
    space_id TEXT REFERENCES spaces, title BLOB NOT NULL, summary BLOB NOT NULL DEFAULT x'',
    summarised INTEGER NOT NULL DEFAULT 0, touched INTEGER NOT NULL, created TEXT NOT NULL,
    updated TEXT NOT NULL);
CREATE INDEX conversations_of_user ON conversations (user_id, touched);
CREATE INDEX conversations_of_space ON conversations (space_id);

CREATE TABLE turns (
    conversation_id TEXT NOT NULL REFERENCES conversations, number INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), body BLOB NOT NULL,
    at TEXT NOT NULL, citations TEXT NOT NULL,
    PRIMARY KEY (conversation_id, number)) WITHOUT ROWID;

CREATE TRIGGER conversation_leaves BEFORE DELETE ON conversations BEGIN
    DELETE FROM turns WHERE conversation_id = OLD.id;
END;
CREATE TRIGGER space_leaves_what_was_said BEFORE DELETE ON spaces BEGIN
    DELETE FROM conversations WHERE space_id = OLD.id;
END;

CREATE VIEW my_conversations AS
    SELECT id, user_id, space_id, title, summary, summarised, touched, created, updated
    FROM conversations
    WHERE user_id = app_user_id() AND (space_id IS NULL
        OR space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id()));
CREATE VIEW my_turns AS
    SELECT conversation_id, number, role, body, at, citations FROM turns
    WHERE EXISTS (SELECT 1 FROM conversations c
        WHERE c.id = conversation_id AND c.user_id = app_user_id() AND (c.space_id IS NULL
            OR c.space_id IN (SELECT space_id FROM space_members
                WHERE user_id = app_user_id())));

CREATE TRIGGER my_conversations_insert INSTEAD OF INSERT ON my_conversations BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.user_id <> app_user_id()
        OR (NEW.space_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id()));
    INSERT INTO conversations (id, user_id, space_id, title, touched, created, updated)
    VALUES (NEW.id, app_user_id(), NEW.space_id, NEW.title, NEW.touched, NEW.created, NEW.updated);
END;
CREATE TRIGGER my_conversations_update INSTEAD OF UPDATE OF summary, summarised, touched, updated
    ON my_conversations BEGIN
    UPDATE conversations SET summary = NEW.summary, summarised = NEW.summarised,
        touched = NEW.touched, updated = NEW.updated
    WHERE id = OLD.id;
END;
CREATE TRIGGER my_conversations_delete INSTEAD OF DELETE ON my_conversations BEGIN
    DELETE FROM conversations WHERE id = OLD.id;
END;
CREATE TRIGGER my_turns_insert INSTEAD OF INSERT ON my_turns BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM conversations c
        WHERE c.id = NEW.conversation_id AND c.user_id = app_user_id() AND (c.space_id IS NULL
            OR c.space_id IN (SELECT space_id FROM space_members
                WHERE user_id = app_user_id())));
    INSERT INTO turns VALUES (NEW.conversation_id, NEW.number, NEW.role, NEW.body, NEW.at,
        NEW.citations);
END;
