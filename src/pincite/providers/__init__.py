"""Adapters for models and services, one vendor per file."""
