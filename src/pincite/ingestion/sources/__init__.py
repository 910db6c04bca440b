"""Sources of a run: open them, find what changed, record them."""
