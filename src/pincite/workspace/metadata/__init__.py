"""The metadata of uploaded documents: found by rules, or by a language model."""

from pincite.workspace.metadata.rules import found_metadata

__all__ = ["found_metadata"]
