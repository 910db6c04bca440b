"""Bundled models: fetch, convert, verify and run them."""
