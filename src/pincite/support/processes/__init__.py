"""Processes and threads: locks, pipes, signals, limits."""
