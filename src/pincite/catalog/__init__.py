"""Catalogs: what has been indexed. Each implements `pincite.ports.Catalog`."""
