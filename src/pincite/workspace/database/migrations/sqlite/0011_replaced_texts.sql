-- Since which version a document has its content and its type, 0 if it has the first ones. Until the
-- index has this version, its text of the document is an earlier one. Once the new content could not
-- be indexed, that text is `withdrawn`. Of a document that failed before this step, or waits for the
-- index, nobody knows what had changed: its content counts as new.
ALTER TABLE documents ADD COLUMN text_version INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET text_version = version
    WHERE status IN ('pending', 'indexing') AND indexed_version > 0 AND indexed_version < version;

-- A view and its triggers change together, under their former names.
DROP TRIGGER my_documents_insert;
DROP TRIGGER my_documents_update;
DROP TRIGGER my_documents_delete;
DROP VIEW my_documents;
CREATE VIEW my_documents AS
    SELECT id, space_id, user_id, filename, content_hash, bytes, status, version, indexed_version,
        error, metadata, given, created, updated, text_version
    FROM documents
    WHERE space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
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
    status, version, error, given, updated, text_version ON my_documents BEGIN
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
CREATE TRIGGER my_documents_delete INSTEAD OF DELETE ON my_documents BEGIN
    SELECT RAISE(ABORT, 'forbidden') WHERE NOT EXISTS (SELECT 1 FROM space_members
        WHERE space_id = OLD.space_id AND user_id = app_user_id() AND role <> 'viewer');
    DELETE FROM documents WHERE id = OLD.id;
END;

CREATE VIEW my_replaced_documents AS
    SELECT id, space_id, status = 'failed' OR indexed_version = 0 AS withdrawn FROM documents
    WHERE (text_version > indexed_version OR (status = 'failed' AND text_version = 0
        AND indexed_version > 0 AND indexed_version < version))
        AND space_id IN (SELECT space_id FROM space_members WHERE user_id = app_user_id());
