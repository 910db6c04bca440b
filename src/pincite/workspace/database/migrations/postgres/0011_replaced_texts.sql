-- Since which version a document has its content and its type, 0 if it has the first ones. Until the
-- index has this version, its text of the document is an earlier one. Once the new content could not
-- be indexed, that text is `withdrawn`. Of a document that failed before this step, or waits for the
-- index, nobody knows what had changed: its content counts as new.
ALTER TABLE documents ADD COLUMN text_version bigint NOT NULL DEFAULT 0;
-- The owner has no policy for documents.
ALTER TABLE documents NO FORCE ROW LEVEL SECURITY;
UPDATE documents SET text_version = version
    WHERE status IN ('pending', 'indexing') AND indexed_version > 0 AND indexed_version < version;
ALTER TABLE documents FORCE ROW LEVEL SECURITY;
CREATE OR REPLACE VIEW my_documents WITH (security_invoker = true) AS
    SELECT id, space_id, user_id, filename, content_hash, bytes, status, version, indexed_version,
        error, metadata, given, created, updated, text_version
    FROM documents;
CREATE VIEW my_replaced_documents WITH (security_invoker = true) AS
    SELECT id, space_id, status = 'failed' OR indexed_version = 0 AS withdrawn FROM documents
    WHERE (text_version > indexed_version OR (status = 'failed' AND text_version = 0
        AND indexed_version > 0 AND indexed_version < version));
GRANT UPDATE (text_version) ON documents TO pincite_app, pincite_operator;
GRANT SELECT ON my_replaced_documents TO pincite_app;
