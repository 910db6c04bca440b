-- What is remembered of users, for their answers. Of one user alone, and where a key of one space has
-- said it, to be read only while the user is a member of that space. Texts are bytes, as in turns.

CREATE TABLE facts (
    user_id uuid NOT NULL REFERENCES users, id text NOT NULL CHECK (length(id) <= 64),
    space_id uuid REFERENCES spaces ON DELETE CASCADE, number bigint NOT NULL,
    body bytea NOT NULL, at text NOT NULL, encoder text NOT NULL DEFAULT '', vector bytea,
    PRIMARY KEY (user_id, id));
CREATE INDEX facts_of_user ON facts (user_id, number);
CREATE INDEX facts_of_space ON facts (space_id);

ALTER TABLE facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE facts FORCE ROW LEVEL SECURITY;

CREATE POLICY app_reads ON facts FOR SELECT TO pincite_app
    USING (user_id = (SELECT app_user_id())
        AND (space_id IS NULL OR space_id IN (SELECT app_spaces())));
CREATE POLICY app_adds ON facts FOR INSERT TO pincite_app
    WITH CHECK (user_id = (SELECT app_user_id())
        AND (space_id IS NULL OR space_id IN (SELECT app_spaces())));
CREATE POLICY app_changes ON facts FOR UPDATE TO pincite_app
    USING (user_id = (SELECT app_user_id()))
    WITH CHECK (user_id = (SELECT app_user_id()));
CREATE POLICY app_removes ON facts FOR DELETE TO pincite_app
    USING (user_id = (SELECT app_user_id()));

GRANT SELECT, INSERT, UPDATE (encoder, vector), DELETE ON facts TO pincite_app;

CREATE VIEW my_facts WITH (security_invoker = true) AS
    SELECT user_id, id, space_id, number, body, at, encoder, vector FROM facts;
GRANT SELECT, INSERT, UPDATE, DELETE ON my_facts TO pincite_app;
