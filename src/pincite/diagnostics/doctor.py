"""Try models by name, for `pincite embed` and `pincite doctor`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pincite.catalog.file import holds_index
from pincite.encoders.by_name import CollectionEncoder, Models
from pincite.encoders.functions import OpenModels
from pincite.errors import PinciteError, ProviderError
from pincite.model import Notice
from pincite.model.model_names import name_in_fingerprint
from pincite.ports import Message
from pincite.settings.load import Settings
from pincite.settings.sections.models import BUNDLED
from pincite.settings.variables import QDRANT_URL
from pincite.support.counted import counted
from pincite.support.fields import replace
from pincite.support.terminal import one_line

if TYPE_CHECKING:
    from pincite.ports import CollectionInfo
    from pincite.providers.registry import Kind

State = Literal["ok", "failed", "skipped"]
_LATEST = ":latest"  # Ollama adds it to names without a tag
_NO_MODEL = "no-such-model"
_QUESTION, _TEXTS = "is this model there?", ("this model is there", "bread is baked from flour")


@dataclass(frozen=True, slots=True)
class Embedded:
    """The output of `pincite embed`."""

    model: str
    fingerprint: str
    dimensions: int
    vectors: list[list[float]]


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of a model, server, prompt or variable, its purpose in `detail`, and a fix."""

    kind: str
    name: str
    state: State
    detail: str
    hint: str = ""


async def embed_texts(
    settings: Settings,
    model: str,
    texts: Sequence[str],
    as_query: bool,
    on_notice: Callable[[Notice], None],
) -> Embedded:
    """Embed texts as `OpenModels` does, and return the vectors with name and fingerprint of the
    model. Raises UsageError for an empty text, ConfigError, ProviderError and ModelUnavailable."""
    async with OpenModels(settings, dense=model, on_notice=on_notice) as models:
        if as_query:
            vectors = [await models.embed_query(text) for text in texts]
        else:
            vectors = await models.embed_documents(texts)
        used = await models.dense()
        name = getattr(used, "name", models.dense_name)  # with the name that the server uses
        return Embedded(name, used.fingerprint, used.dimensions, vectors)


async def examine(settings: Settings, *, ask: bool = True) -> tuple[Finding, ...]:
    """Return findings on the bundled model, on local servers, on each configured model, on the
    models of collections, on prompts with placeholders, and on a variable without effect. Without
    `ask`, no request is sent."""
    use = settings.use
    named: dict[tuple[Kind, str], str] = {}
    named |= {("dense", use.dense): "new collections"} if use.dense else {}
    named |= {("dense", n): f"collection {c}" for c, n in use.collections.items() if n != BUNDLED}
    named |= {("rerank", use.rerank): "searches"} if use.rerank else {}
    named |= {("llm", use.llm): "answers"} if use.llm else {}
    if use.vision:
        said = "answers and pictures" if use.vision == use.llm else "pictures of documents"
        named |= {("llm", use.vision): said}
    findings = [_bundled(settings), *(await _servers(settings) if ask else ())]
    for (kind, name), purpose in named.items():
        findings.append(await _examine(settings, kind, name, purpose, ask))
    for info in await _collections(settings):
        if info.foreign:
            findings.append(await _foreign(settings, info, ask))
        elif info.spec.model:
            findings.append(await _collection(settings, info, ask))
    return (*findings, *_prompts(settings), *_variables(settings))


async def _servers(settings: Settings) -> list[Finding]:
    """Return findings on servers at the usual ports of llama.cpp and Ollama and at their configured
    addresses, whether or not a model there is used."""
    from pincite.providers.local_servers import USUAL, Vendor, find_servers, summary

    vendors: tuple[Vendor, ...] = ("llamacpp", "ollama")
    places = list(USUAL)
    for vendor in vendors:
        options = settings.use.providers.get(vendor)
        if options is not None and options.url:
            places.append((vendor, options.url.removesuffix("/").removesuffix("/v1")))
    found = await find_servers(list(dict.fromkeys(places)))
    if not found:
        said = "no server answers at 127.0.0.1, ports 8080 to 8083 and 11434"
        return [
            Finding("server", "llamacpp and ollama", "skipped", said, "pincite models --served")
        ]
    return [
        Finding(
            "server",
            f"{one.vendor}:{one.url}",
            "ok" if one.can else "skipped",
            summary(one),
            one.hint,
        )
        for one in found
    ]


def _prompts(settings: Settings) -> list[Finding]:
    """Return findings on prompts with placeholders, which nothing replaces."""
    folder = settings.prompts_of(settings.profile.answer.prompts)
    return [
        Finding("prompt", f"{name}.md", "skipped", remark, "remove it, or keep it as a text")
        for name, remark in folder.remarks.items()
    ]


def _variables(settings: Settings) -> list[Finding]:
    """Return a finding if the address of Qdrant is set, but another store is used. Many programs
    share this variable, so it does not choose the store."""
    if not settings.keys.get(QDRANT_URL, "").strip() or settings.store.kind == "qdrant":
        return []
    said = f"is set, but the store is {settings.store.kind}, so it is not used"
    return [Finding("variable", QDRANT_URL, "skipped", said, 'set [store] kind = "qdrant"')]


def _bundled(settings: Settings) -> Finding:
    from pincite.encoders.bundled import MODEL
    from pincite.providers.bundled.cache import verify

    status = verify(MODEL, settings.models)
    if status.state == "ready":
        return Finding("dense", MODEL, "ok", f"the bundled model is at {status.path}")
    state: State = "failed" if status.state == "damaged" else "skipped"
    detail = status.problem or "the bundled model has not been fetched"
    return Finding("dense", MODEL, state, detail, f"pincite models fetch {MODEL}")


async def _examine(settings: Settings, kind: Kind, name: str, purpose: str, ask: bool) -> Finding:
    models = Models(settings)
    try:
        setup = models.registry.setup(kind, name)
        if not ask:
            setup.transport() if setup.provider.key else None
            return Finding(kind, name, "skipped", f"for {purpose}; no request was sent")
        started_s = time.monotonic()
        async with AsyncExitStack() as stack:
            model: Any = await models.registry.open(kind, name)
            if (close := getattr(model, "close", None)) is not None:
                stack.push_async_callback(close)
            said = await _TRIES[kind](model)
        took_ms = (time.monotonic() - started_s) * 1000
    except PinciteError as error:
        return Finding(kind, name, "failed", f"for {purpose}; {error.message}", error.hint)
    return Finding(kind, name, "ok", f"for {purpose}; {said} in {took_ms:.0f} ms")


async def _collections(settings: Settings) -> tuple[CollectionInfo, ...]:
    from pincite.engine import AsyncPincite

    async with AsyncPincite(settings) as engine:
        if not holds_index(settings.index):
            return await engine.foreign.infos()
        return await engine.collections()


async def _foreign(settings: Settings, info: CollectionInfo, ask: bool) -> Finding:
    """Check whether the collection is as configured, and whether its model fits."""
    name, purpose = info.spec.name, f"{info.foreign}, made by another program"
    fix = f"fix [collections.{name}] in pincite.toml"
    if info.broken:
        return Finding("qdrant", name, "failed", f"{purpose}; {info.broken}", fix)
    said = f"{purpose}; {counted(info.chunks, 'point')}"
    if info.spec.model and ask:
        try:
            async with Models(settings) as models:
                size = (await models.dense(info.spec.model)).dimensions
        except PinciteError as error:
            return Finding("qdrant", name, "failed", f"{said}; {error.message}", error.hint)
        if size != info.spec.dimensions:
            differ = f"{info.spec.model} gives {size} dimensions, not {info.spec.dimensions}"
            return Finding("qdrant", name, "failed", f"{said}; {differ}", fix)
    return Finding("qdrant", name, "ok", f"{said}, model {info.spec.model or BUNDLED}")


async def _collection(settings: Settings, info: CollectionInfo, ask: bool) -> Finding:
    name, purpose = info.spec.model, f"collection {info.spec.name} as indexed"
    if not ask:
        return Finding("dense", name, "skipped", f"{purpose}; no request was sent")
    try:
        async with Models(settings) as models:
            encoder = await CollectionEncoder(models, info.spec).opened()
            await encoder.embed_query(f"{_QUESTION} {time.time_ns()}")  # not from the cache
            if others := await _others(models, name):
                said = f"{purpose}; the server answers, but lists other models: {others}"
                if await _ignores_names(models, name):
                    to_do = "start the server with this model"
                    return Finding("dense", name, "failed", said, to_do)
                return Finding("dense", name, "ok", said)
    except PinciteError as error:
        return Finding("dense", name, "failed", f"{purpose}; {error.message}", error.hint)
    return Finding("dense", name, "ok", f"{purpose}; {encoder.fingerprint}")


async def _ignores_names(models: Models, name: str) -> bool:
    """Return whether the server also answers for a model that does not exist, as servers with one
    model do. Others have the model if they answer, even if they list only models of other kinds."""
    setup = models.registry.setup("dense", name)
    try:
        nobody: Any = await models.registry.open("dense", str(replace(setup.name, model=_NO_MODEL)))
    except ProviderError:
        return False
    try:
        await nobody.embed_query(_QUESTION)
    except ProviderError:
        return False
    finally:
        await nobody.close()
    return True


async def _others(models: Models, name: str) -> str:
    """Return the models that a server lists if the named one is not among them. Empty if it is
    there, or if the server lists none. Servers with one model ignore the name in a request."""
    from pincite.providers.dense import compatible

    setup = models.registry.setup("dense", name)
    wanted = setup.name.model
    if not wanted or setup.provider.dense != f"{compatible.__name__}:open_dense":
        return ""
    try:
        listed = await compatible.served_models(setup)
    except ProviderError:
        return ""
    last = {one.rsplit("/", 1)[-1] for one in listed} if "/" not in wanted else set()
    asked = name_in_fingerprint(wanted)
    if {asked, asked.removesuffix(_LATEST), asked + _LATEST} & {*listed, *last}:
        return ""
    return ", ".join(one_line(one[:80]) for one in listed[:4])


async def _try_dense(model: Any) -> str:
    query = await model.embed_query(_QUESTION)
    near, far = await model.embed_documents(_TEXTS)
    order = "" if float(query @ near) > float(query @ far) else ", but related texts are not near"
    return f"{model.fingerprint}, {model.dimensions} dimensions{order}"


async def _try_rerank(model: Any) -> str:
    scores = await model.rerank(_QUESTION, _TEXTS)
    order = "" if scores[0].index == 0 else ", but a related text is not first"
    return f"{model.kind} scores{order}"


async def _try_llm(model: Any) -> str:
    answer = await model.complete([Message("user", "Say yes.")], max_tokens=16)
    return f"said {answer.text[:40]!r}"


_TRIES = {"dense": _try_dense, "rerank": _try_rerank, "llm": _try_llm}
