"""Pincite: evidence that can be cited."""
