"""`pincite workspace` and its commands."""
