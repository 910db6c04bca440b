-- Which database this is. Uploaded files are bound to it: a copy keeps it, a new database has another.
CREATE TABLE database_identity (id TEXT PRIMARY KEY);
INSERT INTO database_identity VALUES (app_new_id());
