"""Extractors of office formats and notebooks. Each is imported by the process that extracts."""
