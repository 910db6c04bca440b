"""Stored conversations, one file per kind of storage."""
