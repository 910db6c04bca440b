"""Scopes of searches: their filters, the language of filters, and reasons for empty results."""
