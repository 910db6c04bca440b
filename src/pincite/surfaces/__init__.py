"""Interfaces to users and programs: they translate requests, call the engine, and translate its
results."""
