"""Models of the hub with fastembed, on ONNX Runtime. It knows their pooling and fetches them
once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pincite.errors import ModelUnavailable
from pincite.model import Matrix, Vector
from pincite.providers.dense.prompts import Prompts, languages_of, prompts_for
from pincite.providers.dense.remote import fingerprint
from pincite.providers.dense.vectors import to_matrix
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup, missing_extra

if TYPE_CHECKING:
    from fastembed import TextEmbedding

FACTS = Facts("one text a run, in this process", "is cut silently at the model's context")


async def open_dense(setup: Setup) -> FastEmbedEncoder:
    """Open the model, see `Registry.open`. `body` of the options is passed to fastembed's
    constructor, for instance `threads` or `specific_model_path`. Raises ModelUnavailable if the
    model cannot be fetched."""
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        raise missing_extra(setup.provider, error) from error
    given: dict[str, Any] = {"local_files_only": True} if setup.offline else {}
    if setup.models is not None:
        given["cache_dir"] = str(setup.models / "fastembed")
    given |= setup.options.body
    name = setup.name.model
    try:
        model = await asyncio.to_thread(lambda: TextEmbedding(name, **given))
    except Exception as error:  # fastembed raises bare ValueErrors and errors of its HTTP libraries
        raise ModelUnavailable(
            f"{setup.name} cannot be opened: {error}",
            hint="fastembed knows the models of `TextEmbedding.list_supported_models()`;"
            " without a hub, name a folder: body.specific_model_path",
        ) from error
    return FastEmbedEncoder(setup, model, prompts_for(name, setup.options))


class FastEmbedEncoder:
    """A `HostedEncoder`. Texts run one at a time, so that a vector does not depend on its
    neighbours."""

    batch_items = 256

    def __init__(self, setup: Setup, model: TextEmbedding, prompts: Prompts) -> None:
        self.name = str(setup.name)
        self.dimensions = setup.name.dimensions or int(model.embedding_size)
        self.languages = languages_of(setup.name.model)
        marks = (prompts.query, prompts.document) if prompts != Prompts() else ""
        self.fingerprint = fingerprint(setup.name, self.dimensions, marks, {})
        self._model = model
        self._prompts = prompts

    async def embed_query(self, text: str) -> Vector:
        vector: Vector = (await asyncio.to_thread(self._run, [self._prompts.query + text], True))[0]
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        prefixed = [self._prompts.document + text for text in texts]
        return await asyncio.to_thread(self._run, prefixed, False)

    async def close(self) -> None:
        """Do nothing: nothing is open."""

    def _run(self, texts: Sequence[str], as_query: bool) -> Matrix:
        embed = self._model.query_embed if as_query else self._model.passage_embed
        rows = list(embed(list(texts), batch_size=1))
        return to_matrix(rows, len(texts), self.dimensions, self.name, cut=True)
