"""Many profiles over one golden set."""
