"""Compare passages with the current files before they are shown."""
