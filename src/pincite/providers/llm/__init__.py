"""Models that write. One protocol per file."""
