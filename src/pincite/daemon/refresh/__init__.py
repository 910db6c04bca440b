"""Automatic updates: the daemon compares sources, watches files and starts indexing runs."""
