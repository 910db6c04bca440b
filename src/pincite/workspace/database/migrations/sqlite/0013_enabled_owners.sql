-- The owners of the user's spaces who are not disabled: one of them must stay.
CREATE VIEW my_enabled_owners AS
    SELECT m.space_id, m.user_id FROM space_members m
        JOIN users u ON u.id = m.user_id AND u.disabled IS NULL
    WHERE m.role = 'owner'
        AND m.space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());

-- A request that began before its user was disabled adds nothing to feeds, and no sources.
DROP TRIGGER my_sources_insert;
DROP TRIGGER my_feed_documents_insert;
DROP TRIGGER my_document_sources_insert;
CREATE TRIGGER my_sources_insert INSTEAD OF INSERT ON my_sources BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO sources VALUES (NEW.space_id, NEW.id, NEW.created);
END;
CREATE TRIGGER my_feed_documents_insert INSTEAD OF INSERT ON my_feed_documents BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO feed_documents VALUES (NEW.space_id, NEW.feed_id, NEW.document_id);
END;
CREATE TRIGGER my_document_sources_insert INSTEAD OF INSERT ON my_document_sources BEGIN
    SELECT RAISE(ABORT, 'unknown user') WHERE NOT EXISTS (SELECT 1 FROM users
        WHERE id = app_user_id() AND disabled IS NULL);
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = NEW.space_id AND user_id = app_user_id() AND role <> 'viewer');
    INSERT INTO document_sources VALUES (NEW.space_id, NEW.document_id, NEW.source_id);
END;

-- Documents that failed before step 11, which workers try again.
CREATE INDEX documents_failed_before ON documents (id)
    WHERE status = 'failed' AND text_version = 0 AND indexed_version > 0;
