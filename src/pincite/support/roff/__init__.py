"""Parse manual pages (man and mdoc)."""
