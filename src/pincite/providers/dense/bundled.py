"""A second model that runs in this process: `bundled:multilingual`, for languages other than
English. The first model needs no name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pincite.errors import ConfigError, ModelUnavailable
from pincite.model import Matrix, Notice, Vector
from pincite.providers.facts import Facts

if TYPE_CHECKING:
    from pincite.providers.bundled.minilm import MiniLmEncoder
    from pincite.providers.setup import Setup

FACTS = Facts("one text a run, in this process", "is cut at 512 pieces")
#: The models of `pincite models` by their names after `bundled:`.
NAMES = MappingProxyType({"multilingual": "multilingual-e5-small"})


async def open_dense(setup: Setup) -> BundledEncoder:
    """Open the model, see `Registry.open`. A missing model is fetched, unless offline. Raises
    ConfigError for an unknown name, ModelUnavailable if the model cannot be fetched."""
    from pincite.providers.bundled import cache
    from pincite.providers.bundled.fetch import fetch
    from pincite.providers.bundled.known_models import KNOWN_MODELS
    from pincite.providers.bundled.origins import FetchOptions

    name = setup.name.model
    published = NAMES.get(name)
    if published is None or setup.name.dimensions:
        raise ConfigError(
            f"{setup.name} is not a bundled model",
            hint=f"bundled:{', bundled:'.join(NAMES)}; bundled alone is the default",
        )
    root = cache.default_root() if setup.models is None else setup.models
    folder = cache.find(published, root)
    if folder is None:
        if setup.offline:
            raise ModelUnavailable(
                f"{published} is not in {root}, and offline is set",
                hint=f"pincite models fetch {published}",
            )
        size = KNOWN_MODELS[published].weights.size / 1e6
        said = f"{published} is fetched and converted, once: {size:.0f} MB"
        setup.on_notice(Notice("model_fetched", said))
        options = FetchOptions(offline=setup.offline)
        folder = await asyncio.to_thread(lambda: fetch(published, root, options=options))
    return await asyncio.to_thread(BundledEncoder, str(setup.name), folder)


class BundledEncoder:
    """A `HostedEncoder` over a fetched model."""

    batch_items = 256

    def __init__(self, name: str, folder: Path) -> None:
        from pincite.providers.bundled.minilm import MiniLmEncoder

        self.name = name
        self._model: MiniLmEncoder = MiniLmEncoder(folder)
        self.fingerprint = self._model.fingerprint
        self.dimensions = self._model.dimensions
        self.languages = self._model.languages

    async def embed_query(self, text: str) -> Vector:
        return await self._model.embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._model.embed_documents(texts)

    async def close(self) -> None:
        """Stop the workers."""
        await asyncio.to_thread(self._model.close)
