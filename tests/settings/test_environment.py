"""Variables that programs over a Qdrant server share: what they mean, and what wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.settings.load import load_settings


def test_they_win_over_the_file_and_any_preset(tmp_path: Path) -> None:
    file = '[retrieve]\nmode = "vector"\nhnsw_ef = 64\n[fuse]\nvector_weight = 0.9\n'
    (tmp_path / "pincite.toml").write_text(file)
    environ = {"SEARCH_MODE": "Keyword", "SEARCH_VECTOR_WEIGHT": "0.25"}
    settings = load_settings(environ, tmp_path)
    for profile in (settings.profile, settings.preset("evidence")):
        assert (profile.retrieve.mode, profile.fuse.vector_weight) == ("keyword", 0.25)
        assert profile.retrieve.hnsw_ef == 64
    without = load_settings(dict.fromkeys(environ, ""), tmp_path).profile
    assert (without.retrieve.mode, without.fuse.vector_weight) == ("vector", 0.9)


def test_a_collection_that_is_named_is_the_default_one(tmp_path: Path) -> None:
    tables = '[[source]]\npath = "a"\n[[source]]\npath = "b"\ncollection = "other"\n'
    (tmp_path / "pincite.toml").write_text(tables)
    settings = load_settings({"QDRANT_COLLECTION": "chunks"}, tmp_path)
    assert (settings.collection, settings.indexed_collection) == ("chunks", "chunks")
    assert [each.collection for each in settings.sources] == ["chunks", "other"]
    settings = load_settings({}, tmp_path)
    assert (settings.collection, settings.indexed_collection) == ("", "main")
    assert [each.collection for each in settings.sources] == ["main", "other"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("QDRANT_COLLECTION", "my/chunks", "cannot name a collection"),
        ("SEARCH_MODE", "magic", "use one of hybrid, vector, keyword"),
        ("SEARCH_VECTOR_WEIGHT", "much", "use a number from 0 to 1"),
        ("SEARCH_VECTOR_WEIGHT", "1.5", "use a number from 0 to 1"),
        ("SEARCH_VECTOR_WEIGHT", "nan", "use a number from 0 to 1"),
    ],
)
def test_what_is_wrong_is_named_with_the_variable(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=f"^{name}.*{said}"):
        load_settings({name: value}, tmp_path)


def test_what_contradicts_the_file_is_named_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text('[retrieve]\nengine_fusion = "rrf"\n')
    with pytest.raises(ConfigError) as caught:
        load_settings({"SEARCH_VECTOR_WEIGHT": "0.3"}, tmp_path)
    assert caught.value.message.startswith(
        "fuse.vector_weight = 0.3 ($SEARCH_VECTOR_WEIGHT) and"
        f' retrieve.engine_fusion = "rrf" ({tmp_path}/pincite.toml:2): '
    )
