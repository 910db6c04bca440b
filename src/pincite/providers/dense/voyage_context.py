"""Voyage's contextual models: a chunk's vector depends on the document around it.

`/v1/contextualizedembeddings` takes `inputs`, one inner list of chunks per document, in order and
without overlap. A query is an inner list of one; two would be read as one context. The service does
not truncate. If one chunk changes, every chunk of its document has to be sent again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pincite.errors import TooLarge
from pincite.model import Matrix
from pincite.providers.batching import PROBE, Batches, Limits
from pincite.providers.dense.openai import embeddings_of
from pincite.providers.dense.remote import (
    InputKind,
    RemoteEncoder,
    Take,
    Wire,
    cutter,
    field,
    take_nothing,
    tell_cut,
)
from pincite.providers.dense.vectors import by_index, to_matrix
from pincite.providers.http import Load
from pincite.providers.registry import Setup

_PATH = "/v1/contextualizedembeddings"
_DOCUMENTS, _TOKENS, _DOCUMENT_TOKENS, _CHUNKS = 1_000, 120_000, 32_000, 16_000
_LIMITS = Limits(items=_DOCUMENTS, tokens=_TOKENS, item_tokens=_DOCUMENT_TOKENS)
_LEAST_TOKENS = -(-_TOKENS // _CHUNKS)  # minimum per chunk, so that no request exceeds 16,000

Window = tuple[str, ...]


def is_contextual(model: str) -> bool:
    """Return whether a model belongs to this endpoint."""
    return model.startswith("voyage-context-")


async def open_contextual(setup: Setup, url: str) -> ContextualEncoder:
    """Open the model, see `Registry.open`."""
    wire = Wire(_PATH, lambda *_: {}, lambda *_: (), _LIMITS)
    wanted = setup.name.dimensions or setup.dimensions or 1024
    return ContextualEncoder(setup, setup.transport(url), wire, dimensions=wanted)


class ContextualEncoder(RemoteEncoder):
    """A `GroupedEncoder`. A text that is embedded without its document counts as a document."""

    async def embed_grouped(self, documents: Sequence[Sequence[str]]) -> tuple[Matrix, ...]:
        """See `GroupedEncoder.embed_grouped`. A document with more tokens than the model takes is
        embedded in the fewest windows possible."""
        windows = [(n, one) for n, chunks in enumerate(documents) for one in self._windows(chunks)]
        parts = await self._embed_windows([one for _, one in windows], "document")
        found: list[list[Matrix]] = [[] for _ in documents]
        for (number, _), part in zip(windows, parts, strict=True):
            found[number].append(part)
        empty = np.empty((0, self.dimensions), dtype=np.float32)
        return tuple(np.concatenate(some) if some else empty for some in found)

    async def _embed(
        self, texts: Sequence[str], kind: InputKind, taking: Take = take_nothing
    ) -> Matrix:
        parts = await self._embed_windows([(text,) for text in texts], kind, taking)
        return np.array([part[0] for part in parts], np.float32).reshape(-1, self.dimensions)

    async def _embed_windows(
        self, windows: Sequence[Window], kind: InputKind, taking: Take = take_nothing
    ) -> list[Matrix]:
        found: dict[int, Matrix] = {}

        def take(start: int, parts: Sequence[Matrix]) -> None:
            found.update(enumerate(parts, start))
            for number, part in enumerate(parts, start):
                taking(number, part)

        cut = cutter(self._setup, self.limits)

        def shrink(window: Window, tries: int) -> Window | None:
            shorter = cut(window[0], tries) if cut and len(window) == 1 else None
            return None if shorter is None else (shorter,)

        batches: Batches[Window, Matrix] = Batches(
            self.limits,
            lambda batch: self._send_windows(batch, kind),
            lambda window: sum(map(self._cost, window)),
            shrink,
            probe=(PROBE,),
            shortened=lambda window, kept: tell_cut(self._setup, window[0], kept[0]),
        )
        await batches.run(windows, take)
        return [found[number] for number in range(len(windows))]

    async def _send_windows(self, windows: Sequence[Window], kind: InputKind) -> list[Matrix]:
        body: dict[str, object] = {
            "model": self._setup.name.model,
            "inputs": [[text if text.strip() else "-" for text in one] for one in windows],
            "input_type": kind,
            "output_dimension": self._setup.name.dimensions or None,
        }
        chunks = [chunk for window in windows for chunk in window]
        try:
            answer = await self._transport.post(
                _PATH,
                {**body, **self._setup.options.body},
                Load(len(chunks), lambda: sum(map(self._cost, chunks))),
            )
        except TooLarge:
            if len(windows) > 1 or len(windows[0]) == 1:
                raise
            window, middle = windows[0], len(windows[0]) // 2
            halves = (window[:middle], window[middle:])
            parts = [(await self._send_windows([half], kind))[0] for half in halves]
            return [np.concatenate(parts)]
        entries = by_index(field(answer, "data", self.name), len(windows), self.name)
        return [self._matrix(e, len(w)) for e, w in zip(entries, windows, strict=True)]

    def _matrix(self, entry: Any, count: int) -> Matrix:
        values = embeddings_of(entry, count, self.name)
        return to_matrix(values, count, self.dimensions, self.name)

    def _windows(self, chunks: Sequence[str]) -> list[Window]:
        windows: list[list[str]] = []
        room = 0
        for chunk in chunks:
            cost = self._cost(chunk)
            if not windows or cost > room:
                windows.append([])
                room = self.limits.item_tokens
            windows[-1].append(chunk)
            room -= cost
        return [tuple(window) for window in windows]

    def _cost(self, text: str) -> int:
        return max(_LEAST_TOKENS, self._count(text))
