"""Documents put in order: what `pincite rerank` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pincite.encoders.by_name import Models
from pincite.encoders.functions import Ranked
from pincite.errors import ConfigError, UsageError
from pincite.model import Notice, SignalKind

if TYPE_CHECKING:
    from pincite.settings.load import Settings


@dataclass(frozen=True, slots=True)
class Order:
    """What `pincite rerank` prints. `kind` says what the scores are."""

    model: str
    fingerprint: str
    kind: SignalKind
    listwise: bool
    results: tuple[Ranked, ...]


def split_documents(text: str) -> tuple[str, ...]:
    """The documents of an input: a JSON list of strings, else its lines that are not empty. Raises
    UsageError for a JSON list of other things."""
    if not text.lstrip().startswith("["):
        return tuple(line for line in text.splitlines() if line.strip())
    try:
        return tuple(msgspec.json.decode(text, type=list[str]))
    except msgspec.ValidationError as error:
        raise UsageError(f"the input is a JSON list, but not a list of strings: {error}") from error
    except msgspec.DecodeError:
        return tuple(line for line in text.splitlines() if line.strip())


async def put_in_order(
    settings: Settings,
    model: str,
    query: str,
    documents: Sequence[str],
    *,
    limit: int | None,
    instruction: str,
    on_notice: Callable[[Notice], None],
) -> Order:
    """Raises UsageError without a query or documents, ConfigError, ProviderError and
    ModelUnavailable."""
    if not query.strip():
        raise UsageError("the query is empty")
    if not documents:
        raise UsageError(
            "there are no documents", hint="give them as arguments, or one a line on stdin"
        )
    name = model or settings.use.rerank
    if not name:
        raise ConfigError(
            "no reranker is configured in pincite.toml, and none is named",
            hint='--model PROVIDER:MODEL, or [models] with rerank = "PROVIDER:MODEL" in'
            " pincite.toml, such as cohere:rerank-v4.0-fast or local:FOLDER: docs/providers.md",
        )
    models = Models(settings.use, settings.models, offline=settings.offline, on_notice=on_notice)
    reranker: Any = await models.registry.open("rerank", name)
    try:
        if instruction and not reranker.instructed:
            message = f"{name} accepts no instruction; it was omitted"
            on_notice(Notice("instruction_unused", message))
        scores = await reranker.rerank(query, documents, limit, instruction=instruction)
    finally:
        if (close := getattr(reranker, "close", None)) is not None:
            await close()
    results = tuple(
        Ranked(rank, one.index, one.score, documents[one.index])
        for rank, one in enumerate(scores, start=1)
    )
    return Order(name, reranker.fingerprint, reranker.kind, reranker.listwise, results)
