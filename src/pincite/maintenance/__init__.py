"""Jobs on a whole collection."""
