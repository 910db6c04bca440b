"""The collection with the new model: a member of the same base, hidden until it is complete."""

from __future__ import annotations

from pincite.collection.members import all_members, members, next_serial
from pincite.ingestion.dense_model import Dense, collection_name
from pincite.ingestion.weigh import average_for
from pincite.model import CollectionSpec
from pincite.ports import DenseEncoder, Index
from pincite.support.fields import replace

# The fields of a spec that a new collection keeps.
_OF_MEMBERS = ("name", "model", "base", "formerly", "serial", "pending", "replaces")


async def make_target(
    index: Index, base: str, dense: Dense, encoder: DenseEncoder
) -> CollectionSpec:
    """Create or prepare the collection with the new model and return it. It is pending unless it is
    already searched as one of several members. If it is the only member, nothing is written."""
    infos = await index.collections()
    ours, held = all_members(infos, base), members(infos, base)
    there = next((info for info in ours if info.spec.dense == encoder.fingerprint), None)
    olds = [info for info in held if info is not there]
    if there in held and not olds:
        return there.spec
    last = held[-1].spec
    new = replace(
        last,
        name=collection_name(base, dense, infos),
        dense=encoder.fingerprint,
        dimensions=encoder.dimensions,
        average_length=average_for(last),
        formerly=(),
        mixed=False,
    )
    like = there.spec if there else new
    formerly = {name for info in olds for name in info.spec.made_with}
    known = {name: kind for info in held for name, kind in info.spec.attributes.items()}
    spec = replace(
        like,
        attributes={**like.attributes, **known},
        require=last.require,
        model=dense.name,
        base=base,
        formerly=tuple(sorted({*like.formerly, *formerly} - {encoder.fingerprint})),
    )
    if there in held:
        await index.create(spec)
        return spec
    replaced = {name for info in olds for name in (info.spec.name, *info.spec.replaces)}
    spec = replace(
        spec,
        serial=next_serial(info for info in ours if info is not there),
        pending=True,
        replaces=tuple(sorted(replaced - {spec.name})),
    )
    if there and there.spec.sparse != last.sparse:  # every vector would need new weights
        spec = replace(new, **{name: getattr(spec, name) for name in _OF_MEMBERS})
        await index.reset(spec)
    else:
        await index.create(spec)
    return spec
