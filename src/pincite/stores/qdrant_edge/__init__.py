"""The embedded store: Qdrant Edge behind an adapter that validates."""
