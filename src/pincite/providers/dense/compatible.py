"""Servers with OpenAI's `/v1/embeddings`: llama.cpp, vLLM, LM Studio and others.

They add no prompts, so Pincite adds those of the model. llama.cpp accepts a text only if it fits
its physical batch (512 tokens unless started with `-ub`), and answers 500 otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from pincite.errors import BadResponse
from pincite.model.model_names import name_in_fingerprint
from pincite.providers.batching import Limits
from pincite.providers.dense.openai import embeddings_of
from pincite.providers.dense.prompts import prompts_for
from pincite.providers.dense.remote import InputKind, RemoteEncoder, Wire, field, open_remote
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup
from pincite.support.fields import replace

FACTS = Facts(
    "64 texts a request (a bound of ours); the model's context a text, llama.cpp: its `-ub`",
    "is refused, then cut with a warning or an error",
)
_LIMITS = Limits(items=64)  # guess, unmeasured: none of them has a limit


async def open_dense(setup: Setup) -> RemoteEncoder:
    """Open the model, see `Registry.open`. If the name has no model, the server is asked for it."""
    if not setup.name.model:
        setup = replace(setup, name=setup.name.with_model(await served_model(setup)))
    name = setup.name
    prompts = prompts_for(name.model, setup.options)
    matryoshka = bool(name.dimensions) and setup.provider.name != "llamacpp"

    def body(texts: Sequence[str], kind: InputKind) -> dict[str, object]:
        prefix = prompts.query if kind == "query" else prompts.document
        sent: dict[str, object] = {
            "model": name.model,
            "input": [prefix + text for text in texts],
            "encoding_format": "float",
        }
        return sent | ({"dimensions": name.dimensions} if matryoshka else {})

    # llama.cpp does not support `dimensions`: its vectors are cut and scaled here
    cut = setup.provider.name == "llamacpp" and bool(name.dimensions)
    wire = Wire("/v1/embeddings", body, embeddings_of, _LIMITS, cut=cut)
    return await open_remote(setup, wire, marks=(prompts.query, prompts.document))


async def served_model(setup: Setup) -> str:
    """Return the first model that a server lists, by its base name: `/models/x.gguf` becomes
    `x.gguf`."""
    return (await served_models(setup))[0]


async def served_models(setup: Setup) -> tuple[str, ...]:
    """Return the models that a server lists, by their base names. Raises BadResponse if it lists
    none."""
    transport = setup.transport()
    try:
        answer = await transport.get("/v1/models")
    finally:
        await transport.close()
    models = field(answer, "data", str(setup.name))
    if not isinstance(models, list) or not models:
        raise BadResponse(f"{setup.name} lists no models", hint="start the server with a model")
    names = (str(field(one, "id", str(setup.name))) for one in models)
    return tuple(map(name_in_fingerprint, names))
