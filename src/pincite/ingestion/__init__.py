"""The steps of indexing; `pincite.ingest` runs them in order."""
