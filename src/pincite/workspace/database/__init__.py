"""The database of a deployment: SQL of users, spaces, documents, feeds and jobs."""
