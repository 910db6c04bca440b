"""A `DenseEncoder` over HTTP. A `Wire` describes the differences between vendors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any, Literal

import msgspec
import numpy as np

from pincite.errors import BadResponse
from pincite.model import Matrix, Notice, Vector
from pincite.model.model_names import name_in_fingerprint
from pincite.providers.batching import PROBE, Batches, Limits
from pincite.providers.dense.prompts import languages_of
from pincite.providers.dense.vectors import to_matrix
from pincite.providers.http import Load, Transport
from pincite.providers.names import ModelName
from pincite.providers.registry import Setup
from pincite.providers.tokens import CHARS_PER_TOKEN

InputKind = Literal["query", "document"]
Take = Callable[[int, Matrix], None]  #: gets the position of the first row, and the rows

_KEPT = 0.75  # share kept of a text that was refused for its length, before it is sent again
_LEAST_CHARS = 16
_BLANK = "-"  # replaces an empty text, which providers refuse


def take_nothing(start: int, rows: Matrix) -> None:
    """Take nothing."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The protocol of a vendor: the path, the body for texts of one kind, and `vectors`, which
    returns the vectors of an answer in order and raises BadResponse. `prompt_tokens` are the tokens
    that the server adds before each text. `cut` says that longer vectors may be cut to the wanted
    dimensions."""

    path: str
    body: Callable[[Sequence[str], InputKind], dict[str, object]]
    vectors: Callable[[Any, int, str], object]
    limits: Limits
    prompt_tokens: int = 0
    cut: bool = False


class RemoteEncoder:
    """One model of one provider. Use it in one event loop and close it at the end."""

    def __init__(
        self, setup: Setup, transport: Transport, wire: Wire, *, dimensions: int, marks: object = ""
    ) -> None:
        """Prepare the encoder. `marks` is anything else that changes its vectors, such as
        prefixes."""
        self.name = str(setup.name)
        self.dimensions = dimensions
        self.languages = languages_of(setup.name.model)
        self._setup = setup
        self._transport = transport
        self._wire = wire
        self.limits = setup.limits(wire.limits)  #: of a request
        self._count = setup.counter()
        self._marks = marks

    @property
    def fingerprint(self) -> str:
        """Return `provider/model@dimensions` and a hash of everything else that changes vectors.
        The address is not part of it."""
        return fingerprint(self._setup.name, self.dimensions, self._marks, self._setup.options.body)

    @property
    def batch_items(self) -> int:
        """Return the number of texts that fills all parallel requests."""
        return (self.limits.items or 64) * self.limits.concurrency

    async def embed_query(self, text: str) -> Vector:
        vector: Vector = (await self._embed([text], "query"))[0]
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._embed(texts, "document")

    async def embed_taking(self, texts: Sequence[str], take: Take) -> Matrix:
        """Embed documents, and pass each part to `take` as soon as its request is answered."""
        return await self._embed(texts, "document", take)

    async def probe(self) -> None:
        """Take the dimensions from a first vector if they are not known."""
        if not self.dimensions:
            self.dimensions = int((await self._send([PROBE], "document")).shape[1])

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _embed(
        self, texts: Sequence[str], kind: InputKind, taking: Take = take_nothing
    ) -> Matrix:
        rows = np.empty((len(texts), self.dimensions), dtype=np.float32)

        def take(start: int, part: Sequence[Any]) -> None:
            rows[start : start + len(part)] = part
            taking(start, rows[start : start + len(part)])

        async def send(batch: Sequence[str]) -> Any:
            return await self._send(batch, kind)

        batches: Batches[str, Any] = Batches(
            self.limits,
            send,
            self._cost,
            cutter(self._setup, self.limits),
            probe=PROBE,
            shortened=partial(tell_cut, self._setup),
        )
        await batches.run(texts, take)
        return rows

    def _cost(self, text: str) -> int:
        return self._count(text) + self._wire.prompt_tokens

    async def _send(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        sent = [text if text.strip() else _BLANK for text in texts]
        body = {**self._wire.body(sent, kind), **self._setup.options.body}
        answer = await self._transport.post(
            self._wire.path, body, Load(len(sent), lambda: sum(map(self._cost, sent)))
        )
        values = self._wire.vectors(answer, len(sent), self.name)
        return to_matrix(values, len(sent), self.dimensions, self.name, cut=self._wire.cut)


def fingerprint(name: ModelName, dimensions: int, marks: object, body: Mapping[str, object]) -> str:
    """Return a line that is equal if and only if vectors are comparable."""
    model = name_in_fingerprint(name.model) or "unnamed"
    line = f"{name.provider}/{model}@{dimensions}"
    if not marks and not body:
        return line
    raw = msgspec.json.encode([repr(marks), dict(body)], order="deterministic")
    return f"{line}+{blake2b(raw, digest_size=4).hexdigest()}"


def cutter(setup: Setup, limits: Limits) -> Callable[[str, int], str | None] | None:
    """Return the function that shortens a refused text; None if the text is to fail."""
    if setup.options.oversize == "fail":
        return None

    def shrink(text: str, tries: int) -> str | None:
        kept = int(len(text) * _KEPT)
        if limits.item_tokens and not tries:
            kept = min(kept, limits.item_tokens * CHARS_PER_TOKEN)
        return None if kept < _LEAST_CHARS else text[:kept]

    return shrink


def tell_cut(setup: Setup, text: str, kept: str) -> None:
    """Warn that the model has accepted only the beginning of a text. The message quotes its first
    60 characters, which begin with its path."""
    said = (
        f"a text of {len(text):,} characters is too long for {setup.name}; its first"
        f" {len(kept):,} are embedded: {text[:60]!r}"
    )
    setup.on_notice(Notice("text_cut_for_model", said))


async def open_remote(
    setup: Setup, wire: Wire, *, dimensions: int = 0, url: str = "", marks: object = ""
) -> RemoteEncoder:
    """Return an encoder with known dimensions: those of the name, those of the index, the model's
    default `dimensions`, or those of a first vector."""
    wanted = setup.name.dimensions or setup.dimensions or dimensions
    encoder = RemoteEncoder(setup, setup.transport(url), wire, dimensions=wanted, marks=marks)
    try:
        await encoder.probe()
    except BaseException:
        await encoder.close()
        raise
    return encoder


def field(answer: object, name: str, where: str) -> Any:
    """Return a field of an answer. Raises BadResponse if it is missing."""
    if not isinstance(answer, dict) or name not in answer:
        raise BadResponse(f"{where} returned a response without {name!r}")
    return answer[name]
