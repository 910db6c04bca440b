"""Surfaces: they translate requests, call the engine, and translate its results."""
