"""Variables of platforms over a Qdrant server: set, unset, wrong, and against each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.providers.registry import builtin_providers
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.stores import store_key

PRESET = 'extends = "workspace"\n'
COHERE = next(one for one in builtin_providers() if one.name == "cohere")
JINA = next(one for one in builtin_providers() if one.name == "jina")


def read(folder: Path, text: str = PRESET, **environ: str) -> Settings:
    (folder / "pincite.toml").write_text(text)
    return load_settings(environ, folder)


def test_the_preset_is_what_the_specification_says_without_any(tmp_path: Path) -> None:
    settings = read(tmp_path)
    store, profile = settings.store, settings.profile
    assert (store.kind, store.url) == ("qdrant", "http://localhost:6333")
    assert (settings.indexed_collection, settings.beside("chunks")) == ("chunks", True)
    assert (profile.retrieve.mode, profile.fuse.vector_weight) == ("hybrid", 0.5)
    assert (profile.across.method, profile.across.k, profile.fuse.k) == ("rrf", 60, 60)
    assert (profile.retrieve.per_result, profile.across.per_result) == (12, 3)
    assert (settings.use.rerank, settings.log.enabled) == ("", False)
    assert store_key({}, store) is None


def test_other_presets_have_neither_the_server_nor_the_collection(tmp_path: Path) -> None:
    settings = read(tmp_path, "", QDRANT_URL="http://elsewhere:6333", QDRANT_API_KEY="k")
    assert (settings.store.kind, settings.store.url) == ("edge", "")
    assert settings.indexed_collection == "main"
    assert not settings.beside("main")


def test_the_server_is_where_the_variable_says(tmp_path: Path) -> None:
    assert read(tmp_path, QDRANT_URL="https://q.example/").store.url == "https://q.example"
    file = '[store]\nkind = "qdrant"\nurl = "http://file:6333"\n'
    assert read(tmp_path, file, QDRANT_URL="http://env:6333").store.url == "http://env:6333"
    assert read(tmp_path, file, QDRANT_URL=" ").store.url == "http://file:6333"
    embedded = PRESET + '[store]\nkind = "sqlite"\nurl = ""\n'
    assert read(tmp_path, embedded, QDRANT_URL="http://env:6333").store.kind == "sqlite"


def test_the_collection_is_named_by_the_variable(tmp_path: Path) -> None:
    settings = read(tmp_path, QDRANT_COLLECTION="docs")
    assert (settings.indexed_collection, settings.beside("docs")) == ("docs", True)


def test_a_shared_key_goes_to_the_server_of_the_variable_alone(tmp_path: Path) -> None:
    key = {"QDRANT_API_KEY": "shared"}
    assert store_key(key, read(tmp_path).store) == "shared"
    named = {**key, "QDRANT_URL": "https://q.example/"}
    assert store_key(named, read(tmp_path, **named).store) == "shared"
    theirs = '[store]\nkind = "qdrant"\nurl = "https://stranger.example"\n'
    assert store_key(key, read(tmp_path, theirs, **key).store) is None
    own = {**key, "PINCITE_QDRANT_KEY": "own"}
    assert store_key(own, read(tmp_path, theirs, **own).store) == "own"
    with pytest.raises(ConfigError, match="PINCITE_QDRANT_KEY and QDRANT_API_KEY have different"):
        store_key(own, read(tmp_path, PRESET, **own).store)
    both = {**key, "PINCITE_QDRANT_KEY": "shared"}
    assert store_key(both, read(tmp_path, PRESET, **both).store) == "shared"


@pytest.mark.parametrize(
    ("environ", "model"),
    [
        ({}, ""),
        ({"RERANK_ENABLED": ""}, ""),
        ({"RERANK_ENABLED": "false", "RERANK_PROVIDER": "jina"}, ""),
        ({"RERANK_PROVIDER": "jina", "RERANK_MODEL": "other"}, ""),
        ({"RERANK_ENABLED": "true"}, "cohere:rerank-v3.5"),
        ({"RERANK_ENABLED": "1", "RERANK_PROVIDER": "Cohere"}, "cohere:rerank-v3.5"),
        (
            {"RERANK_ENABLED": "true", "RERANK_PROVIDER": "jina"},
            "jina:jina-reranker-v2-base-multilingual",
        ),
        (
            {"RERANK_ENABLED": "true", "RERANK_PROVIDER": "local"},
            "local:cross-encoder/ms-marco-MiniLM-L-6-v2",
        ),
        (
            {"RERANK_ENABLED": "true", "RERANK_MODEL": "rerank-v4.0-fast"},
            "cohere:rerank-v4.0-fast",
        ),
    ],
)
def test_the_reranker_is_what_the_variables_say(
    tmp_path: Path, environ: dict[str, str], model: str
) -> None:
    assert read(tmp_path, **environ).use.rerank == model


def test_the_variables_of_the_reranker_win_over_the_file(tmp_path: Path) -> None:
    file = '[models]\nrerank = "voyage:rerank-2"\n[rerank]\nuse = "never"\n'
    assert read(tmp_path, file).use.rerank == "voyage:rerank-2"
    assert read(tmp_path, file, RERANK_ENABLED="0").use.rerank == ""
    settings = read(tmp_path, file, RERANK_ENABLED="1", RERANK_BASE_URL="http://here:9/")
    assert settings.use.rerank == "cohere:rerank-v3.5"
    assert settings.profile.rerank.use == "configured"
    assert settings.use.providers["cohere"].url == "http://here:9"


def test_keys_of_rerankers_have_the_names_that_others_use(tmp_path: Path) -> None:
    def keys(**environ: str) -> tuple[object, ...]:
        key_of = read(tmp_path, **environ).use.key_of
        found = (key_of(COHERE), key_of(JINA))
        return tuple(one.reveal() if one is not None else None for one in found)

    assert keys() == (None, None)
    assert keys(COHERE_API_KEY="c", JINA_API_KEY="j") == ("c", "j")
    assert keys(CO_API_KEY="c") == ("c", None)
    assert keys(CO_API_KEY="c", COHERE_API_KEY="c") == ("c", None)
    with pytest.raises(ConfigError, match="CO_API_KEY and COHERE_API_KEY have different keys"):
        keys(CO_API_KEY="c", COHERE_API_KEY="d")
    with pytest.raises(ConfigError, match="does not hold a key of one line"):
        keys(COHERE_API_KEY="a b")


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"QDRANT_URL": "localhost:6333"}, "QDRANT_URL: .* is not"),
        ({"QDRANT_URL": "http://u:p@q.example"}, "QDRANT_URL: .* more than scheme"),
        ({"RERANK_ENABLED": "maybe"}, "RERANK_ENABLED is 'maybe'; use one of 1, true, on"),
        ({"RERANK_PROVIDER": "voyage"}, "RERANK_PROVIDER is 'voyage'; use one of cohere, jina"),
        ({"RERANK_BASE_URL": "ftp://x"}, "RERANK_BASE_URL: .* is not"),
        (
            {"RERANK_ENABLED": "1", "RERANK_PROVIDER": "local", "RERANK_BASE_URL": "http://x"},
            "RERANK_BASE_URL is http://x, but RERANK_PROVIDER is local",
        ),
        (
            {"RERANK_ENABLED": "1", "RETRIEVAL_STRATEGY": "mmr"},
            "RERANK_ENABLED is 1, but RETRIEVAL_STRATEGY is mmr",
        ),
        (
            {"RERANK_ENABLED": "0", "RETRIEVAL_STRATEGY": "hybrid_rerank"},
            "RERANK_ENABLED is 0, but RETRIEVAL_STRATEGY is hybrid_rerank",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_variable(
    tmp_path: Path, environ: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        read(tmp_path, **environ)
    assert ":p@" not in str(caught.value)


def test_a_base_that_can_name_no_collection_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"store\.base: .* cannot name a collection"):
        read(tmp_path, '[store]\nbase = "a/b"\n')
    with pytest.raises(ConfigError, match="base"):
        read(tmp_path, "[store]\nbase = 3\n")
