"""The engine of an index folder: its methods, by subject. `pincite.sync` is its facade."""

from pincite.engine.engine import AsyncPincite

__all__ = ["AsyncPincite"]
