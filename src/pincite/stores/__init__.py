"""Stores: where points are kept. Each implements `pincite.ports.Store`."""
