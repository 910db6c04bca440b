"""Choose the collection for new documents, and find, upgrade or create its spec."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from pincite.chunkers import ChunkerConfig
from pincite.collection.members import all_members, next_serial, require_base
from pincite.encoders.fingerprint import require_fingerprint
from pincite.encoders.sparse import name_of, open_sparse, sparse_of
from pincite.errors import UsageError
from pincite.ingestion.attributes.schema import Schema
from pincite.ingestion.corpus_language import guessed_language
from pincite.ingestion.dense_model import Dense, choose_model, collection_name
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.run import IndexRun
from pincite.ingestion.sources.source_records import Opened
from pincite.ingestion.weigh import average_for
from pincite.model import CollectionSpec, Notice
from pincite.ports import CollectionInfo
from pincite.settings.load import Settings
from pincite.settings.sections.models import BUNDLED, MULTILINGUAL
from pincite.support.fields import replace


def require_target(run: IndexRun, locations: Sequence[str | Path]) -> None:
    """Raise UsageError if the collection does not exist and no sources are named or configured, or
    if it is damaged and not rebuilt."""
    name, held = run.collection, run.held
    require_base(run.infos, name)
    if not (held or locations or run.configured):
        raise UsageError(
            f"collection {name!r} is still empty",
            hint=f"pincite index PATH --collection {name}",
        )
    broken = next((info.broken for info in held if info.broken), "")
    if broken and not run.options.rebuild:
        raise UsageError(broken, hint=f"pincite collections rebuild {name}")


class Target(msgspec.Struct, frozen=True):
    """The target of new documents: the collection `info`, or a new one with this `name`. `like` is
    the newest member of the base: a new one takes its language and sparse encoder. `others` are the
    other members, `serial` is the number of a new one. `unseen` has the same model, but is not
    searched."""

    name: str
    base: str
    serial: int
    info: CollectionInfo | None
    like: CollectionInfo | None
    others: tuple[CollectionSpec, ...] = ()
    unseen: CollectionSpec | None = None


def of_model(
    settings: Settings, held: Sequence[CollectionInfo], options: IndexOptions
) -> CollectionInfo | None:
    """Return the last member; with the option `beside`, the one with the model of this run, if
    there is one. None without members."""
    last = held[-1] if held else None
    name = choose_model(settings, last, options)
    same = (i for i in held if i.spec.dense is not None and i.spec.model == name)
    return next(same, last) if options.beside else last


def choose_target(run: IndexRun, dense: Dense) -> Target:
    """Return the target. Raises UsageError if the base already has a collection with this model
    that is not searched yet, or no longer, unless it is rebuilt."""
    base, held, options = run.collection, run.held, run.options
    like = held[-1] if held else None
    ours = all_members(run.infos, base)
    serial = next_serial(ours)
    if not options.beside:
        return Target(base, "", serial, like, like)
    made_by = dense.encoder.fingerprint if dense.encoder else None
    info = next((one for one in held if one.spec.dense == made_by), None)
    others = tuple(one.spec for one in held if one is not info)
    same = (one.spec for one in ours if one.spec.dense == made_by and one not in held)
    unseen = next(same, None)
    if unseen and not options.rebuild:
        _refuse(unseen, like.spec if like else None)
    there = info.spec if info else unseen
    name = there.name if there else collection_name(base, dense, run.infos)
    return Target(name, base, serial, info, like, others, unseen)


def _refuse(unseen: CollectionSpec, used: CollectionSpec | None) -> None:
    """Raise the UsageError for a collection that is not complete, or is kept but not searched."""
    base, model = unseen.public_name, unseen.model or BUNDLED
    state = "is not complete" if unseen.pending else "was kept and is not searched"
    ways = []
    if unseen.dense is not None:
        verb = "finish it" if unseen.pending else "go back to it"
        ways.append(f"to {verb}: pincite reembed {base} --to {model}")
    if unseen.name != base:
        ways.append(f"to discard it: pincite collections drop {unseen.name}")
    if used is not None and used.dense is not None:
        ways.append(f"to index as before: pincite index -c {base} --model {used.model or BUNDLED}")
    raise UsageError(
        f"{unseen.name} has vectors of {model} for {base} and {state}: --beside would start over",
        hint="; ".join(ways),
    )


async def settle_spec(
    run: IndexRun, target: Target, dense: Dense, opened: Sequence[Opened], schema: Schema
) -> CollectionSpec:
    """Store and return the spec to index with. A new one is created; an existing one is upgraded if
    it matches the run. Progress of guessing the language is reported to `run.progress`. Raises
    UsageError, FingerprintMismatch, and the errors of the models."""
    if target.info is None or run.options.rebuild:
        spec = await _new_spec(run, target, dense, opened, schema)
        if target.info or target.unseen:
            await _require_vectors(dense)
            await run.client.reset(spec)
        else:
            await run.client.create(spec)
        _warn_of_language(spec, run.options)
        return spec
    spec = target.info.spec
    await _require_match(run, spec, dense)
    upgraded = replace(
        spec,
        chunker=ChunkerConfig().fingerprint,
        dense=_fingerprint(dense),
        dimensions=_dimensions(dense),
        model=dense.name,
        average_length=spec.average_length or average_for(spec),
        attributes={**schema.attributes, **spec.attributes},
        require=schema.require,
        lexical_by_choice=spec.lexical_by_choice or run.options.lexical,
    )
    if upgraded != spec:
        await run.client.create(upgraded)
    return upgraded


async def _new_spec(
    run: IndexRun, target: Target, dense: Dense, opened: Sequence[Opened], schema: Schema
) -> CollectionSpec:
    options = run.options
    info, like = target.info, target.like.spec if target.like else None
    language = options.language
    if language == "auto":
        language = like.language if like else await guessed_language(opened, run.progress)
    name = name_of(options.sparse or (like.sparse_model if like else ""))
    sparse = await open_sparse(run.models, name, language)
    spec = CollectionSpec(
        info.spec.name if info else target.name,
        sparse.fingerprint,
        ChunkerConfig().fingerprint,
        _fingerprint(dense),
        _dimensions(dense),
        language,
        model=dense.name,
        sparse_model=name,
        idf=sparse.idf,
        base=info.spec.base if info else target.base,
        serial=info.spec.serial if info else target.serial,
        replaces=info.spec.replaces if info else (),
        attributes=schema.attributes,
        require=schema.require,
        fields=schema.fields,
        lexical_by_choice=options.lexical,
    )
    return replace(spec, average_length=average_for(spec))


async def _require_vectors(dense: Dense) -> None:
    """Encode a text, so that a model that cannot be used raises its error before anything is
    removed."""
    if dense.encoder is not None:
        from pincite.providers.dense.cached import uncached

        await uncached(dense.encoder).embed_documents(["probe"])


def _fingerprint(dense: Dense) -> str | None:
    return dense.encoder.fingerprint if dense.encoder else None


def _dimensions(dense: Dense) -> int:
    return dense.encoder.dimensions if dense.encoder else 0


def _warn_of_language(spec: CollectionSpec, options: IndexOptions) -> None:
    if not knows_other_language(spec):
        return
    said = f"this seems to be {spec.language}, but the model is for English; keyword search works"
    fix = f"For semantic search: pincite reembed {spec.public_name} --to {MULTILINGUAL}"
    options.on_notice(Notice("other_language", f"{said}. {fix}"))


async def _require_match(run: IndexRun, spec: CollectionSpec, dense: Dense) -> None:
    """Raise UsageError or FingerprintMismatch if the run has another language or model than the
    collection."""
    options, models = run.options, run.models
    if options.language not in ("auto", spec.language):
        raise UsageError(
            f"collection {spec.name!r} uses stemming for {spec.language}, not {options.language}",
            hint=f"pincite collections rebuild {spec.name} --language {options.language}",
        )
    if options.sparse and name_of(options.sparse) != spec.sparse_model:
        flags = f" --sparse {options.sparse}"
        ours = await open_sparse(models, name_of(options.sparse), spec.language)
        require_fingerprint(spec.name, "analyser", spec.sparse, ours.fingerprint, flags)
    await sparse_of(models, spec)
    if spec.dense is not None:
        made_by = _fingerprint(dense) or "none"
        flags, instead = _ways_to(dense, spec, options)
        require_fingerprint(spec.name, "dense model", spec.dense, made_by, flags, instead)


def _ways_to(dense: Dense, spec: CollectionSpec, options: IndexOptions) -> tuple[str, str]:
    """Return how to change a collection to this model: the options of a rebuild, and the ways
    without one. To go back to keyword search, there is only the rebuild."""
    if dense.encoder is None:
        return " --lexical", ""
    flags = f" --model {options.model}" if options.model else ""
    name = spec.public_name
    return flags, (
        f", or keep both: pincite index -c {name} --beside{flags}, or without reading the files"
        f" again: pincite reembed {name} --to {dense.name or BUNDLED}"
    )


def knows_other_language(spec: CollectionSpec) -> bool:
    """Return whether a collection has the default model, which is for English, and another
    language."""
    return spec.dense is not None and not spec.model and spec.language != "english"
