-- What users have said and were answered. Of one user alone, and where a key of one space has begun
-- it, to be read only while the user is a member of that space. Texts are bytes: they may have NUL.

CREATE TABLE conversations (
    id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users,
    space_id uuid REFERENCES spaces ON DELETE CASCADE, title bytea NOT NULL,
    summary bytea NOT NULL DEFAULT '', summarised bigint NOT NULL DEFAULT 0,
    touched bigint NOT NULL, created timestamptz NOT NULL, updated timestamptz NOT NULL);
CREATE INDEX conversations_of_user ON conversations (user_id, touched);
CREATE INDEX conversations_of_space ON conversations (space_id);

CREATE TABLE turns (
    conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
    number bigint NOT NULL, role text NOT NULL CHECK (role IN ('user', 'assistant')),
    body bytea NOT NULL, at text NOT NULL, citations text NOT NULL,
    PRIMARY KEY (conversation_id, number));

ALTER TABLE conversations ENABLE ROW LEVEL SECURITY;
ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE turns FORCE ROW LEVEL SECURITY;

CREATE POLICY app_reads ON conversations FOR SELECT TO pincite_app
    USING (user_id = (SELECT app_user_id())
        AND (space_id IS NULL OR space_id IN (SELECT app_spaces())));
CREATE POLICY app_adds ON conversations FOR INSERT TO pincite_app
    WITH CHECK (user_id = (SELECT app_user_id())
        AND (space_id IS NULL OR space_id IN (SELECT app_spaces())));
CREATE POLICY app_changes ON conversations FOR UPDATE TO pincite_app
    USING (user_id = (SELECT app_user_id()))
    WITH CHECK (user_id = (SELECT app_user_id()));
CREATE POLICY app_removes ON conversations FOR DELETE TO pincite_app
    USING (user_id = (SELECT app_user_id()));
-- Conversations that the user sees are those above: what is asked within a policy has policies, too.
CREATE POLICY app_reads ON turns FOR SELECT TO pincite_app
    USING (EXISTS (SELECT FROM conversations c WHERE c.id = conversation_id));
CREATE POLICY app_adds ON turns FOR INSERT TO pincite_app
    WITH CHECK (EXISTS (SELECT FROM conversations c WHERE c.id = conversation_id));

GRANT SELECT, INSERT, UPDATE (summary, summarised, touched, updated), DELETE ON conversations
    TO pincite_app;
GRANT SELECT, INSERT ON turns TO pincite_app;

CREATE VIEW my_conversations WITH (security_invoker = true) AS
    SELECT id, user_id, space_id, title, summary, summarised, touched, created, updated
    FROM conversations;
CREATE VIEW my_turns WITH (security_invoker = true) AS
    SELECT conversation_id, number, role, body, at, citations FROM turns;
GRANT SELECT, INSERT, UPDATE, DELETE ON my_conversations TO pincite_app;
GRANT SELECT, INSERT ON my_turns TO pincite_app;
