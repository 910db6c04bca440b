"""Results as text: tables, excerpts, highlights."""
