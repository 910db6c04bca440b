"""Catalogs: the record of indexed documents. Each implements `pincite.ports.Catalog`."""
