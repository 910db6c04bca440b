-- Whose job a worker takes next: that of the user whose last turn is the longest ago. Of the
-- operator alone: users would learn from it how much others do.

CREATE TABLE job_turns (
    user_id uuid PRIMARY KEY REFERENCES users, turn bigint NOT NULL);
CREATE INDEX turns_in_order ON job_turns (turn);
CREATE INDEX jobs_of_user ON jobs (user_id, due, id) WHERE state IN ('waiting', 'running');

ALTER TABLE job_turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_turns FORCE ROW LEVEL SECURITY;
CREATE POLICY operator_reads ON job_turns FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_adds ON job_turns FOR INSERT TO pincite_operator WITH CHECK (true);
CREATE POLICY operator_changes ON job_turns FOR UPDATE TO pincite_operator
    USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (turn) ON job_turns TO pincite_operator;
