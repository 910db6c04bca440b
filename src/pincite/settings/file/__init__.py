"""The file `pincite.toml`: reading, merging, meanings of keys, trust."""
