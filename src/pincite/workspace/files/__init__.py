"""Uploaded files: where they are stored, and how they are read."""
