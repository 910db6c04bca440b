-- Is anything due? It is asked once a second by each worker, and both sides of the question have an
-- index now: with 100,000 jobs that wait for another try all of them were read.
CREATE INDEX jobs_by_change ON jobs (changed) WHERE state IN ('waiting', 'running');
