"""One module for each table of `pincite.toml`."""
