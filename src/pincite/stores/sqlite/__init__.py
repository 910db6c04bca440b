"""A store in one SQLite file, searched exactly."""
