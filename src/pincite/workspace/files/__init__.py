"""Uploaded files: where they are stored, and what is read of them."""
