-- Which database this is. Uploaded files are bound to it: a dump keeps it, a new database has another.
CREATE TABLE database_identity (id uuid PRIMARY KEY);
INSERT INTO database_identity VALUES (gen_random_uuid());
ALTER TABLE database_identity ENABLE ROW LEVEL SECURITY;
ALTER TABLE database_identity FORCE ROW LEVEL SECURITY;
CREATE POLICY operator_reads ON database_identity FOR SELECT TO pincite_operator USING (true);
GRANT SELECT ON database_identity TO pincite_operator;
