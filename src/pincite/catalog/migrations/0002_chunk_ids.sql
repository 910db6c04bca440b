-- The ids of the chunks of a document in the order of its file, 16 bytes each; empty where an earlier
-- version wrote the row. A search reads only the chunks around its results by them.

ALTER TABLE documents ADD COLUMN chunk_ids bytea NOT NULL DEFAULT '';
