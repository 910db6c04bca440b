-- Whose job a worker takes next: that of the user whose last turn is the longest ago.
CREATE TABLE job_turns (
    user_id TEXT PRIMARY KEY REFERENCES users, turn INTEGER NOT NULL);
CREATE INDEX turns_in_order ON job_turns (turn);
CREATE INDEX jobs_of_user ON jobs (user_id, due, id) WHERE state IN ('waiting', 'running');
