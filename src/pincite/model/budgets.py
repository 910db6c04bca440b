"""Numbers of tokens for texts that are written for language models."""

from __future__ import annotations

from typing import Final

BUDGET: Final = 6_000  #: of a block of passages, unless a caller says otherwise
