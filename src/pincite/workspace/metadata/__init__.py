"""The metadata of uploaded documents: found by rules, or by a language model."""

from pincite.workspace.metadata.by_rules import found_metadata

__all__ = ["found_metadata"]
