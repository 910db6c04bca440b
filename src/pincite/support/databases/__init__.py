"""SQLite and PostgreSQL: private files, schemas, connections."""
