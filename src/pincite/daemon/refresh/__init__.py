"""How the daemon keeps an index up to date: looks at sources, file events, indexing runs."""
