-- How many requests each key may still send, counted for all processes: `full_us` is when its bucket
-- is full again, in microseconds since 1970. Of the operator alone. Unlogged, so that nobody waits for
-- a disk: after a crash of the server all buckets are full. A row whose key is gone says nothing about
-- anybody and permits nothing.

CREATE UNLOGGED TABLE key_rates (
    key_id uuid PRIMARY KEY, full_us bigint NOT NULL) WITH (fillfactor = 50);

ALTER TABLE key_rates ENABLE ROW LEVEL SECURITY;
ALTER TABLE key_rates FORCE ROW LEVEL SECURITY;
CREATE POLICY operator_reads ON key_rates FOR SELECT TO pincite_operator USING (true);
CREATE POLICY operator_adds ON key_rates FOR INSERT TO pincite_operator WITH CHECK (true);
CREATE POLICY operator_changes ON key_rates FOR UPDATE TO pincite_operator
    USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (full_us) ON key_rates TO pincite_operator;
