-- How many requests each key may still send, counted for all processes: `full_us` is when its bucket
-- is full again, in microseconds since 1970. A row whose key is gone says nothing about anybody and
-- permits nothing.
CREATE TABLE key_rates (
    key_id TEXT PRIMARY KEY, full_us INTEGER NOT NULL);
