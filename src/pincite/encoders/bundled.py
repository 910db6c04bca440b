"""The encoder that comes with Pincite, opened from the cache of models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.model import Matrix, Vector
    from pincite.providers.bundled.minilm import MiniLmEncoder

MODEL: Final = "all-MiniLM-L6-v2"


class LazyEncoder:
    """The bundled encoder as a `DenseEncoder` that is opened with its first text: a run that finds
    nothing to do is spared half of its time."""

    def __init__(self, models: Path, *, threads: int | None = None) -> None:
        """Raises ModelUnavailable if the model has not been fetched or is damaged."""
        from pincite.providers.bundled.manifest import read_manifest

        self._models = models
        self._threads = threads
        self._manifest = read_manifest(_folder(models))
        self._encoder: MiniLmEncoder | None = None

    @property
    def fingerprint(self) -> str:
        """That of the encoder, from its manifest."""
        return self._manifest.fingerprint

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._manifest.dimensions

    @property
    def languages(self) -> frozenset[str]:
        """Stemmer names of the languages that the model knows."""
        return frozenset(self._manifest.languages)

    async def embed_query(self, text: str) -> Vector:
        """As `MiniLmEncoder.embed_query`."""
        return await self._opened().embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """As `MiniLmEncoder.embed_documents`."""
        return await self._opened().embed_documents(texts)

    def close(self) -> None:
        """Let its threads end."""
        if self._encoder is not None:
            self._encoder.close()

    def _opened(self) -> MiniLmEncoder:
        if self._encoder is None:
            self._encoder = open_encoder(self._models, threads=self._threads)
        return self._encoder


def open_encoder(models: Path, *, threads: int | None = None) -> MiniLmEncoder:
    """The bundled encoder. Raises ModelUnavailable if it has not been fetched or is damaged."""
    from pincite.providers.bundled.minilm import MiniLmEncoder

    return MiniLmEncoder(_folder(models), threads=threads)


def _folder(models: Path) -> Path:
    from pincite.providers.bundled.cache import find

    folder = find(MODEL, models)
    if folder is None:
        raise ModelUnavailable(f"{MODEL} is not in {models}", hint=f"pincite models fetch {MODEL}")
    return folder
