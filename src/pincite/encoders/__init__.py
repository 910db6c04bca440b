"""Encoders of collections, opened on first use."""
