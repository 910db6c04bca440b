"""Filters over payloads of other programs.

Fields without a mapped key have no value. Conditions on values that are the same for all points are
decided here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from qdrant_client import models

from pincite.errors import UsageError
from pincite.model import Chunk
from pincite.ports import NUMBER_FIELDS, Condition, Filter, Ids, Phrase, Text
from pincite.ports.predicate import holds
from pincite.stores.fields import FieldMap
from pincite.stores.foreign_ids import PointIds
from pincite.stores.qdrant.translate import to_condition
from pincite.stores.validate import is_id
from pincite.support.fields import replace


def to_filter(
    filter_: Filter, fields: FieldMap, words: Collection[str], ids: PointIds
) -> models.Filter | Literal[False] | None:
    """Return the server's filter; None if every point matches, False if no point can match. `words`
    are the keys with a full-text index. Raises UsageError for words of another key, because without
    an index a server compares letters."""
    must, should, must_not = (
        [_translated(one, fields, words, ids) for one in conditions]
        for conditions in (filter_.must, filter_.should, filter_.must_not)
    )
    if False in must or True in must_not or (should and not any(should)):
        return False
    if True in should:
        should = []
    asked = [
        [one for one in some if not isinstance(one, bool)] or None
        for some in (must, should, must_not)
    ]
    if not any(asked):
        return None
    return models.Filter(must=asked[0], should=asked[1], must_not=asked[2])


def _translated(
    condition: Condition, fields: FieldMap, words: Collection[str], ids: PointIds
) -> Any:
    """Return the server's condition, or whether it holds for all points or none."""
    if isinstance(condition, Ids):
        return models.HasIdCondition(
            has_id=[ids.point_id(key) for key in condition.ids if is_id(key)]
        )
    key = fields.keys.get(condition.field)
    if key is None:
        return condition.field not in NUMBER_FIELDS and holds(condition, "", _constant(fields))
    if isinstance(condition, Text | Phrase) and key not in words:
        raise UsageError(
            f"{fields.repo}: {key} has no full-text index, so it cannot be filtered by words",
            hint="remove `~`, or search the other collections: -c NAME",
        )
    return to_condition(replace(condition, field=key))


def _constant(fields: FieldMap) -> Chunk:
    """Return a chunk with the values that all points have by configuration."""
    return Chunk(
        id="",
        repo=fields.constant("repo"),
        ref="",
        path="",
        source_type=fields.source_type,
        language=fields.constant("language"),
        start=0,
        end=0,
        start_line=0,
        end_line=0,
        text="",
        content_hash="",
    )
