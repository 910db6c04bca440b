"""Scopes: filters of a search, their language, and reasons for empty results."""
