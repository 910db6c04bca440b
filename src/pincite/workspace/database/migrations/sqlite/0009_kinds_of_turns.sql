-- What kind of answer a turn is: a failed one is no word of the model's in later turns.
DROP TRIGGER my_turns_insert;
DROP VIEW my_turns;
ALTER TABLE turns ADD COLUMN kind TEXT NOT NULL DEFAULT '';
CREATE VIEW my_turns AS
    SELECT conversation_id, number, role, body, at, citations, kind FROM turns
    WHERE EXISTS (SELECT 1 FROM conversations c
        WHERE c.id = conversation_id AND c.user_id = app_user_id() AND (c.space_id IS NULL
            OR c.space_id IN (SELECT space_id FROM space_members
                WHERE user_id = app_user_id())));
-- A process of the previous version names no kind.
CREATE TRIGGER my_turns_insert INSTEAD OF INSERT ON my_turns BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM conversations c
        WHERE c.id = NEW.conversation_id AND c.user_id = app_user_id() AND (c.space_id IS NULL
            OR c.space_id IN (SELECT space_id FROM space_members
                WHERE user_id = app_user_id())));
    INSERT INTO turns (conversation_id, number, role, body, at, citations, kind)
    VALUES (NEW.conversation_id, NEW.number, NEW.role, NEW.body, NEW.at, NEW.citations,
        coalesce(NEW.kind, ''));
END;
