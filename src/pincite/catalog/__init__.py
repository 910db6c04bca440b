"""Catalogs: records of indexed documents. Each implements `pincite.ports.Catalog`."""
