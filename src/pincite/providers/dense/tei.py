"""text-embeddings-inference: `/embed`. One model per server; `/info` returns its name and
limits."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.errors import BadResponse
from pincite.providers.batching import Limits
from pincite.providers.dense.prompts import prompts_for
from pincite.providers.dense.remote import InputKind, RemoteEncoder, Wire, field, open_remote
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup
from pincite.support.fields import replace

FACTS = Facts(
    "what its `/info` says, usually 32 texts a request",
    "is refused (`truncate: false`), then cut with a warning or an error",
)
_LIMITS = Limits(items=32)


async def open_dense(setup: Setup) -> RemoteEncoder:
    """Open the model, see `Registry.open`. If the name has no model, the server is asked for it."""
    limits = _LIMITS
    if not (setup.name.model and setup.dimensions):
        transport = setup.transport()
        try:
            info = await transport.get("/info")
        finally:
            await transport.close()
        where = str(setup.name)
        model = setup.name.model or str(field(info, "model_id", where))
        setup = replace(setup, name=setup.name.with_model(model))
        limits = Limits(
            items=_count(info, "max_client_batch_size", where) or _LIMITS.items,
            item_tokens=_count(info, "max_input_length", where),
        )
    name = setup.name
    prompts = prompts_for(name.model, setup.options)

    def body(texts: Sequence[str], kind: InputKind) -> dict[str, object]:
        prefix = prompts.query if kind == "query" else prompts.document
        sent: dict[str, object] = {
            "inputs": [prefix + text for text in texts],
            "normalize": True,
            "truncate": False,
        }
        return sent | ({"dimensions": name.dimensions} if name.dimensions else {})

    wire = Wire("/embed", body, lambda answer, *_: answer, limits)
    return await open_remote(setup, wire, marks=(prompts.query, prompts.document))


def _count(info: object, name: str, where: str) -> int:
    """Return a limit of the server, 0 if it names none. Raises BadResponse if it is not a
    number."""
    found = info.get(name) if isinstance(info, dict) else None
    if found is None:
        return 0
    if not isinstance(found, int) or found < 0:
        raise BadResponse(f"{where} returned {name} {found!r:.50}, which is not a count")
    return found
