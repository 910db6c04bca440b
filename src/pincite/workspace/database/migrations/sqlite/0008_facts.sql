-- What is remembered of users, for their answers. Of one user alone, and where a key of one space has
-- said it, to be read only while the user is a member of that space.
CREATE TABLE facts (
    user_id TEXT NOT NULL REFERENCES users, id TEXT NOT NULL, space_id TEXT REFERENCES spaces,
    number INTEGER NOT NULL, body BLOB NOT NULL, at TEXT NOT NULL,
    encoder TEXT NOT NULL DEFAULT '', vector BLOB,
    PRIMARY KEY (user_id, id));
CREATE INDEX facts_of_user ON facts (user_id, number);
CREATE INDEX facts_of_space ON facts (space_id);

-- Under its former name: a process of an earlier version lets no trigger act that it does not know.
DROP TRIGGER space_leaves_what_was_said;
CREATE TRIGGER space_leaves_what_was_said BEFORE DELETE ON spaces BEGIN
    DELETE FROM conversations WHERE space_id = OLD.id;
    DELETE FROM facts WHERE space_id = OLD.id;
END;

CREATE VIEW my_facts AS
    SELECT user_id, id, space_id, number, body, at, encoder, vector FROM facts
    WHERE user_id = app_user_id() AND (space_id IS NULL
        OR space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id()));

CREATE TRIGGER my_facts_insert INSTEAD OF INSERT ON my_facts BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NEW.user_id <> app_user_id()
        OR (NEW.space_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM space_members
            WHERE space_id = NEW.space_id AND user_id = app_user_id()));
    INSERT INTO facts (user_id, id, space_id, number, body, at)
    VALUES (app_user_id(), NEW.id, NEW.space_id, NEW.number, NEW.body, NEW.at);
END;
CREATE TRIGGER my_facts_update INSTEAD OF UPDATE OF encoder, vector ON my_facts BEGIN
    UPDATE facts SET encoder = NEW.encoder, vector = NEW.vector
    WHERE user_id = app_user_id() AND id = OLD.id;
END;
CREATE TRIGGER my_facts_delete INSTEAD OF DELETE ON my_facts BEGIN
    DELETE FROM facts WHERE user_id = app_user_id() AND id = OLD.id;
END;
