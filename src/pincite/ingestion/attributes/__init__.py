"""Attributes of documents: declared, automatic, of files and of sources."""
