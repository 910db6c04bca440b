"""Ollama: `/api/embed`. It adds no prompts, and truncates silently unless told not to."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.providers.batching import Limits
from pincite.providers.dense.prompts import prompts_for
from pincite.providers.dense.remote import InputKind, RemoteEncoder, Wire, field, open_remote
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup

FACTS = Facts(
    "64 texts a request (a bound of ours); the model's context a text",
    "is refused (`truncate: false`), then cut with a warning or an error",
)
_LIMITS = Limits(items=64)  # guess, unmeasured: the server has no limit and works one by one


async def open_dense(setup: Setup) -> RemoteEncoder:
    """Open the model, see `Registry.open`."""
    name = setup.name
    prompts = prompts_for(name.model, setup.options)

    def body(texts: Sequence[str], kind: InputKind) -> dict[str, object]:
        prefix = prompts.query if kind == "query" else prompts.document
        sent: dict[str, object] = {
            "model": name.model,
            "input": [prefix + text for text in texts],
            "truncate": False,
        }
        return sent | ({"dimensions": name.dimensions} if name.dimensions else {})

    def vectors(answer: object, _: int, where: str) -> object:
        return field(answer, "embeddings", where)

    wire = Wire("/api/embed", body, vectors, _LIMITS)
    return await open_remote(setup, wire, marks=(prompts.query, prompts.document))
