"""The steps of the write path; `pincite.ingest` knows their order."""
