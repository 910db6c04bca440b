"""The environment and `pincite.toml`, read in one place."""
