"""Reports on an index: status, explanation of a search, replay, model checks."""
