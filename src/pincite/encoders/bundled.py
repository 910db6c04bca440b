"""Open the encoder that comes with Pincite from the cache of models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.errors import ModelUnavailable

if TYPE_CHECKING:
    from pincite.providers.bundled.minilm import MiniLmEncoder

MODEL: Final = "all-MiniLM-L6-v2"


def open_encoder(
    models: Path, name: str = MODEL, *, threads: int | None = None, load: bool = True
) -> MiniLmEncoder:
    """Return the bundled encoder of that name, loaded now or (without `load`) with its first text:
    a run without work is twice as fast that way. Raises ModelUnavailable if the model has not been
    fetched, or if it is damaged, which loading finds."""
    from pincite.providers.bundled.cache import find
    from pincite.providers.bundled.minilm import MiniLmEncoder

    folder = find(name, models)
    if folder is None:
        raise ModelUnavailable(
            f"{name} is missing in {models}", hint=f"pincite models fetch {name}"
        )
    return MiniLmEncoder(folder, threads=threads, load=load)
