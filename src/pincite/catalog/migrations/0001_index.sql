-- The index of a deployment of several machines: what `catalog.db`, `records.db`, the locks and the
-- folder of files are for an index folder. Of the operator alone: texts and names of all users are
-- here, and users reach them through the engine. Texts are ordered by their bytes, as elsewhere.

CREATE TABLE settled (name text PRIMARY KEY, value text NOT NULL);

CREATE TABLE collections (name text COLLATE "C" PRIMARY KEY, spec text NOT NULL);

CREATE TABLE sources (
    collection text COLLATE "C" NOT NULL REFERENCES collections ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL, record text NOT NULL, PRIMARY KEY (collection, name));

CREATE TABLE documents (
    collection text COLLATE "C" NOT NULL REFERENCES collections ON DELETE CASCADE,
    source text COLLATE "C" NOT NULL, path text COLLATE "C" NOT NULL, revision text NOT NULL,
    content_hash text NOT NULL, ref text NOT NULL, size bigint NOT NULL, mtime_ns bigint NOT NULL,
    chunks bigint NOT NULL, tokens bigint NOT NULL, source_type text NOT NULL,
    includes text NOT NULL, notes text NOT NULL, chunk_attributes text NOT NULL,
    embedded boolean NOT NULL, attributes text NOT NULL, inherited text NOT NULL,
    counts bytea NOT NULL, PRIMARY KEY (collection, source, path));
CREATE INDEX documents_by_revision ON documents (collection, revision);

-- Sums over the documents, so that no question reads all of them. The term -1 is any.
CREATE TABLE terms (
    collection text COLLATE "C" NOT NULL REFERENCES collections ON DELETE CASCADE,
    term bigint NOT NULL, chunks bigint NOT NULL, PRIMARY KEY (collection, term))
    WITH (fillfactor = 70);
CREATE TABLE totals (
    collection text COLLATE "C" NOT NULL REFERENCES collections ON DELETE CASCADE,
    source_type text COLLATE "C" NOT NULL, documents bigint NOT NULL, chunks bigint NOT NULL,
    tokens bigint NOT NULL, unembedded bigint NOT NULL, PRIMARY KEY (collection, source_type));

-- Who writes to a collection. Each writer has a number of its own; `whole` is false from when it
-- begins to when it has ended well.
CREATE SEQUENCE lease_numbers;
CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, holder text NOT NULL,
    what text NOT NULL, since timestamptz NOT NULL, whole boolean NOT NULL);
CREATE TABLE lease_tickets (
    number bigserial PRIMARY KEY, name text COLLATE "C" NOT NULL, due timestamptz NOT NULL);

CREATE TABLE record_sources (
    number bigserial PRIMARY KEY, collection text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL, UNIQUE (collection, name));
CREATE TABLE records (
    number bigserial PRIMARY KEY,
    source bigint NOT NULL REFERENCES record_sources ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL, id text NOT NULL, title text NOT NULL, url text,
    language text NOT NULL, attributes text NOT NULL, pages text NOT NULL,
    content_hash text NOT NULL, shape text NOT NULL, size bigint NOT NULL,
    updated bigint NOT NULL, state integer NOT NULL, indexed bytea, UNIQUE (source, path));
CREATE INDEX records_unsettled ON records (source, state, path) WHERE state <> 0;
CREATE INDEX records_by_id ON records (source, id);
CREATE TABLE texts (
    number bigint PRIMARY KEY REFERENCES records ON DELETE CASCADE, text text NOT NULL);

-- Uploaded files in pieces. One without a hash is being uploaded.
CREATE TABLE files (
    number bigserial PRIMARY KEY, space_id uuid NOT NULL, content_hash text, size bigint NOT NULL,
    put timestamptz NOT NULL, UNIQUE (space_id, content_hash));
CREATE TABLE file_pieces (
    file bigint NOT NULL REFERENCES files ON DELETE CASCADE, piece bigint NOT NULL,
    bytes bytea NOT NULL, PRIMARY KEY (file, piece));
ALTER TABLE file_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;

GRANT USAGE ON SCHEMA pincite_index TO pincite_operator, pincite_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON settled, collections, sources, documents, terms, totals,
    leases, lease_tickets, record_sources, records, texts, files, file_pieces TO pincite_operator;
GRANT SELECT ON steps TO pincite_operator, pincite_app; -- of nothing else here: is it migrated?
GRANT USAGE ON ALL SEQUENCES IN SCHEMA pincite_index TO pincite_operator;
