"""What tags leave of an index."""

from __future__ import annotations

import anyio
import pytest

from pincite.model import Attributes
from pincite.scope.tagged_index import searchables_within
from pincite.support.fields import replace
from tests.small_search import make


@pytest.mark.parametrize(("tags", "named"), [({}, True), ({"course": "ml"}, False)])
def test_ids_of_chunks_are_given_only_where_all_of_them_may_be_read(
    tags: Attributes, named: bool
) -> None:
    async def check() -> None:
        made = await make(None, {"a.md": "# A\n\none", "b.md": "# B\n\ntwo"})
        (record, *_) = await made.index.documents(made.spec.name)
        place = (record.source, record.path)
        declared = replace(made, spec=replace(made.spec, attributes={"course": "keyword"}))
        (within,) = searchables_within([declared], tags)
        (ids,) = await within.index.chunk_ids(made.spec.name, [place])
        assert bool(ids) == named
        if named:
            chunks = await within.index.document(made.spec.name, *place)
            assert ids == tuple(chunk.id for chunk in chunks)

    anyio.run(check)
