"""Rerankers: they score documents for a query. One vendor per file."""
