-- What kind of answer a turn is: a failed one is no word of the model's in later turns.
ALTER TABLE turns ADD COLUMN kind text NOT NULL DEFAULT '';
CREATE OR REPLACE VIEW my_turns WITH (security_invoker = true) AS
    SELECT conversation_id, number, role, body, at, citations, kind FROM turns;
