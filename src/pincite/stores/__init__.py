"""Stores of points. Each implements `pincite.ports.Store`."""
