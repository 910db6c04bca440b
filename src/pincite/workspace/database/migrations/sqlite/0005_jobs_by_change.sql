-- Is anything due? It is asked once a second by each worker, and both sides of the question have an
-- index now, as in PostgreSQL.
CREATE INDEX jobs_by_change ON jobs (changed) WHERE state IN ('waiting', 'running');
