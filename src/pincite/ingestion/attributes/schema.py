"""The attributes of a collection: their types, and those required of all documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from pincite.errors import ConfigError, UsageError
from pincite.ingestion.attributes.automatic import PLACES, field_types
from pincite.ingestion.attributes.normalise import lacking
from pincite.ingestion.run import IndexRun
from pincite.ingestion.sources.source_records import Opened
from pincite.model import AttributeType, CollectionSpec, DocumentRecord, Notice
from pincite.model.attributes import type_of
from pincite.ports import Index
from pincite.support.fields import replace


class Schema(msgspec.Struct, frozen=True):
    """Types, required names and the set of automatic attributes, as in `CollectionSpec`."""

    attributes: Mapping[str, AttributeType]
    require: tuple[str, ...] = ()
    fields: str = ""


def known_types(run: IndexRun) -> dict[str, AttributeType]:
    """Return the attribute types of the members of a collection, and the declared ones. Raises
    ConfigError if they contradict each other, unless the collection is rebuilt."""
    declared, known = run.settings.attributes, dict[str, AttributeType]()
    for info in run.held:
        for name, kind in info.spec.attributes.items():
            wanted = declared.get(name, kind)
            if wanted != kind and not run.options.rebuild:
                raise ConfigError(
                    f"[attributes] declares {name} as {wanted}, but in the collection"
                    f" {run.collection!r} it is {kind}",
                    hint=f'declare {name} = "{kind}", or change the collection:'
                    f" pincite collections rebuild {run.collection}",
                )
            known[name] = kind
    return {**known, **declared}


async def settle_schema(run: IndexRun, opened: Sequence[Opened]) -> Schema:
    """Return the schema that the collection has from now on, and report changes. Raises UsageError
    if a document lacks an attribute that is newly required, or if the required attributes of a
    collection with records change; ConfigError as `known_types`."""
    attributes = known_types(run)
    for source, _ in opened:
        for name, value in source.source.attributes.items():
            kind = type_of(value)
            if name not in attributes and kind is not None:
                attributes[name] = kind
                place = f"first given to the source {source.source.name}"
                run.options.on_notice(_new(name, kind, place))
    require = await _require(run, opened)
    made = run.held and not run.options.rebuild
    fields = run.held[-1].spec.fields if made else run.settings.store.fields
    attributes.update(field_types(fields, attributes))
    for name in require:
        attributes.setdefault(name, "keyword")
    return Schema(attributes, require, fields)


async def _require(run: IndexRun, opened: Sequence[Opened]) -> tuple[str, ...]:
    """Return the required names of the settings, else the current ones."""
    name, now = run.collection, run.held[-1].spec.require if run.held else ()
    configured = run.settings.use.options.get(name)
    wanted = configured.require if configured else None
    if wanted is None or {*wanted} == {*now}:
        return now
    if any(record.source.kind == "records" for record in run.sources):
        raise UsageError(
            f"{name!r} has records, whose storage depends on the required attributes:"
            f" {', '.join(now) or 'nothing'}",
            hint=(
                "undo the change of require in [collections], or write the records to a new"
                " collection that requires it from the start"
            ),
        )
    added = tuple(each for each in wanted if each not in now)
    if added and not run.options.rebuild:
        await _all_have(run, opened, added)
    removed = [each for each in now if each not in wanted]
    if removed:
        message = f"{', '.join(removed)}: no longer required for searches and reads of {name!r}"
        run.options.on_notice(Notice("require_removed", message))
    return wanted


async def _all_have(run: IndexRun, opened: Sequence[Opened], names: tuple[str, ...]) -> None:
    """Raise UsageError unless every document has these attributes, or gets them in this run."""
    given = {source.source.name: source.source.attributes for source, _ in opened}
    lack: list[DocumentRecord] = []
    total = 0
    for info in run.held:
        for record in await run.client.documents(info.spec.name):
            total += 1
            of_source = given.get(record.source, record.inherited)
            if lacking(names, {**of_source, **record.attributes}):
                lack.append(record)
    if lack:
        first = lack[0]
        raise UsageError(
            f"{', '.join(names)} cannot be required for {run.collection!r}: {len(lack):,}"
            f" of {total:,} documents have no value, such as {first.path!r} of {first.source}",
            hint=(
                "remove require from the settings for now, and give the values with pincite"
                f" index PATH --set {names[0]}=..., [[source]] or front matter"
            ),
        )


async def learn(
    index: Index,
    spec: CollectionSpec,
    new: Mapping[str, tuple[AttributeType, str]],
    on_notice: Callable[[Notice], None],
) -> CollectionSpec:
    """Add new attributes to the spec, store it, and return it. `new` has, by name, the type of an
    attribute and the path where it first occurred."""
    unknown = {name: kind for name, (kind, _) in new.items() if name not in spec.attributes}
    if not unknown:
        return spec
    spec = replace(spec, attributes={**spec.attributes, **unknown})
    await index.create(spec)
    for name, kind in unknown.items():
        if PLACES.get(name) != kind:  # automatic attributes are not reported
            on_notice(_new(name, kind, f"first seen in {new[name][1]}"))
    return spec


def _new(name: str, kind: AttributeType, place: str) -> Notice:
    message = f"attribute `{name}` has the type {kind} ({place}); to choose"
    return Notice("attribute_new", f"{message} another type, declare it in [attributes]")
