"""`pincite eval` and its commands."""
