"""Variables that programs over a Qdrant server share: what they mean, and what wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.presets import PRESETS
from pincite.profile import Profile, profile_from
from pincite.settings.environment import STRATEGIES
from pincite.settings.load import load_settings
from pincite.support.fields import replace


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
        ("CHAT_MODE", "magic", "use one of strict, open, learning"),
        ("RETRIEVAL_STRATEGY", "bm25", "use one of mmr, hybrid, hybrid_rerank"),
        ("RETRIEVAL_SCORE_THRESHOLD", "1.1", "use a number from 0 to 1"),
        ("RETRIEVAL_SCORE_THRESHOLD", "nan", "use a number from 0 to 1"),
        ("QUERY_REWRITE_ENABLED", "maybe", "use one of 1, true, on, 0, false, off"),
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


def test_variables_of_conversations_win_over_the_file(tmp_path: Path) -> None:
    file = 'extends = "chat"\n[answer]\nmode = "open"\n[probe]\nthreshold = 0.5\n'
    (tmp_path / "pincite.toml").write_text(file)
    environ = {
        "CHAT_MODE": "Learning",
        "RETRIEVAL_SCORE_THRESHOLD": "0.25",
        "QUERY_REWRITE_ENABLED": "False",
    }
    profile = load_settings(environ, tmp_path).profile
    assert (profile.answer.mode, profile.answer.rewrite) == ("learning", False)
    assert (profile.probe.enabled, profile.probe.threshold) == (True, 0.25)
    without = load_settings(dict.fromkeys(environ, ""), tmp_path).profile
    assert (without.answer.mode, without.answer.rewrite) == ("open", True)
    assert without.probe.threshold == 0.5


@pytest.mark.parametrize("preset", ["general", "evidence", "chat"])
def test_a_threshold_turns_the_probe_on_over_any_preset(tmp_path: Path, preset: str) -> None:
    (tmp_path / "pincite.toml").write_text("[probe]\nenabled = false\n")
    settings = load_settings({"RETRIEVAL_SCORE_THRESHOLD": "0.4"}, tmp_path)
    assert not load_settings({}, tmp_path).preset(preset).probe.enabled
    for profile in (settings.profile, settings.preset(preset)):
        assert (profile.probe.enabled, profile.probe.threshold) == (True, 0.4)


@pytest.mark.parametrize("preset", ["general", "evidence", "chat"])
def test_a_strategy_is_a_set_of_values_over_any_preset(tmp_path: Path, preset: str) -> None:
    (tmp_path / "pincite.toml").write_text(f'extends = "{preset}"\n')

    def by(strategy: str) -> Profile:
        return load_settings({"RETRIEVAL_STRATEGY": strategy}, tmp_path).profile

    mmr, hybrid, reranked = by("mmr"), by("HYBRID"), by("hybrid_rerank")
    assert (mmr.retrieve.mode, mmr.diversify.enabled, mmr.load.vectors) == ("vector", True, True)
    assert mmr.rerank.use == hybrid.rerank.use == "never"
    assert (hybrid.retrieve.mode, hybrid.diversify.enabled) == ("hybrid", False)
    assert (hybrid.fuse.method, hybrid.fuse.k, hybrid.smooth.weight) == ("rrf", 60, 0.0)
    assert reranked == replace(hybrid, rerank=replace(hybrid.rerank, use="expected"))


def test_the_strategy_of_the_preset_chat_is_mmr() -> None:
    profile = PRESETS["chat"]
    table = {name: dict(section) for name, section in STRATEGIES["mmr"].items()}
    assert profile_from(table, "mmr", profile) == profile
    assert (profile.diversify.fetch, profile.diversify.relevance) == (20, 0.5)
    assert (profile.fuse.method, profile.fuse.k) == ("rrf", 60)


@pytest.mark.parametrize(
    ("strategy", "other", "value"),
    [
        ("mmr", "SEARCH_MODE", "keyword"),
        ("hybrid", "SEARCH_MODE", "vector"),
        ("hybrid", "SEARCH_VECTOR_WEIGHT", "0.8"),
        ("mmr", "SEARCH_VECTOR_WEIGHT", "0"),
    ],
)
def test_a_strategy_and_another_variable_against_it_are_both_named(
    tmp_path: Path, strategy: str, other: str, value: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings({"RETRIEVAL_STRATEGY": strategy, other: value}, tmp_path)
    assert f"{other} is {value}" in caught.value.message
    assert f"RETRIEVAL_STRATEGY is {strategy}" in caught.value.message
    agreeing = {"mmr": "vector", "hybrid": "hybrid"}[strategy]
    environ = {"RETRIEVAL_STRATEGY": strategy, "SEARCH_MODE": agreeing}
    assert load_settings(environ, tmp_path).profile.retrieve.mode == agreeing


def test_a_file_that_a_strategy_contradicts_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text("[load]\npool = 12\n")
    with pytest.raises(ConfigError) as caught:
        load_settings({"RETRIEVAL_STRATEGY": "mmr"}, tmp_path)
    assert f"load.pool = 12 ({tmp_path}/pincite.toml:2)" in caught.value.message
