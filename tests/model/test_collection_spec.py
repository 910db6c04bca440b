"""What a collection says of itself."""

from __future__ import annotations

import pytest

from pincite.model import CollectionSpec


@pytest.mark.parametrize(
    ("dense", "model", "name"),
    [
        (None, "", ""),
        ("minilm/1", "", "bundled"),
        ("voyage-4/1024", "voyage:voyage-4", "voyage:voyage-4"),
        (None, "voyage:voyage-4", ""),
    ],
)
def test_the_dense_model_has_the_name_that_opens_it(
    dense: str | None, model: str, name: str
) -> None:
    spec = CollectionSpec("main", "bm25/1", "chunks/1", dense=dense, model=model)
    assert spec.dense_name == name
