"""Extractors for office formats and notebooks, imported only by the extracting process."""
