"""Rerankers: a query and documents to scores. One vendor per file."""
