"""Surfaces translate in, call the engine, translate out."""
