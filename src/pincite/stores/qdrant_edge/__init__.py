"""The embedded store: Qdrant Edge behind a validating adapter."""
