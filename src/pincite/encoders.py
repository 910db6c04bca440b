"""The encoder that comes with Pincite, opened from the cache of models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.errors import ModelUnavailable

if TYPE_CHECKING:
    from pincite.providers.dense.minilm import MiniLmEncoder

MODEL: Final = "all-MiniLM-L6-v2"


def open_encoder(models: Path, *, threads: int | None = None) -> MiniLmEncoder:
    """The bundled encoder. Raises ModelUnavailable if it has not been fetched or is damaged."""
    from pincite.providers.dense.cache import find
    from pincite.providers.dense.minilm import MiniLmEncoder

    folder = find(MODEL, models)
    if folder is None:
        raise ModelUnavailable(f"{MODEL} is not in {models}", hint=f"pincite models fetch {MODEL}")
    return MiniLmEncoder(folder, threads=threads)
