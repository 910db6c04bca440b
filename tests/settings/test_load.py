"""Settings: found where people look for them, refused where they are wrong."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from pincite.daemon.client.spawn import missing
from pincite.errors import ConfigError
from pincite.profile import SECTIONS, Profile, profile_from
from pincite.settings.file.keys import keys
from pincite.settings.index_folder import nearest
from pincite.settings.load import VARIABLES, load_settings
from pincite.settings.sections.stores import store_key
from pincite.stages.retrieve import RetrieveConfig
from pincite.support.wrong_values import check_numbers
from tests.sources.helpers import commit, git, plant


def make_index(folder: Path) -> Path:
    index = folder / ".pincite"
    index.mkdir(parents=True)
    (index / "catalog.db").touch()
    return index


def test_without_an_index_one_would_be_made_here(tmp_path: Path) -> None:
    assert load_settings({}, tmp_path).index == tmp_path / ".pincite"


def test_an_index_is_found_from_any_folder_below_it(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    below = tmp_path / "a/b"
    below.mkdir(parents=True)
    assert load_settings({}, below).index == index


def test_an_index_above_a_worktree_inside_of_its_checkout_is_that_of_another_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plant(tmp_path / "r", {"docs/a.md": "one\n"})
    commit(root)
    library = plant(tmp_path / "library", {"b.md": "two\n"})
    commit(library)
    above, index = make_index(tmp_path), make_index(root)
    for place, name in ((root / ".claude/worktrees/n", "n"), (tmp_path / "beside", "beside")):
        git(root, "worktree", "add", "-q", "-b", name, str(place))
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "s")
    inner = root / ".claude/worktrees/n"

    def found(folder: Path) -> tuple[Path, Path | None]:
        monkeypatch.chdir(folder)
        near = nearest(None, {})
        return load_settings({}, folder).index, near and near.root

    assert found(root / "docs") == (index, index)
    assert found(root / "s") == (index, index)  # a submodule is a part of what is indexed
    assert found(tmp_path / "beside") == (above, above)
    assert found(inner / "docs") == (inner / "docs/.pincite", None)
    said = missing(inner / "docs/.pincite")
    assert f"{inner} is a git worktree" in said.message
    assert said.hint == f"in {inner}: pincite index ."
    own = make_index(inner)
    assert found(inner / "docs") == (own, own)
    git(root, "config", "core.bare", "true")
    (own / "catalog.db").unlink()
    assert found(inner) == (index, index)


def test_the_option_wins_over_the_environment_and_that_over_the_folder(tmp_path: Path) -> None:
    make_index(tmp_path)
    environ = {"PINCITE_INDEX": "/elsewhere"}
    assert load_settings(environ, tmp_path).index == Path("/elsewhere")
    assert load_settings(environ, tmp_path, Path("/option")).index == Path("/option")


def test_a_file_beside_the_index_changes_the_profile(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text('[fuse]\nmethod = "dbsf"\n[select]\nresults = 3\n')
    profile = load_settings({}, tmp_path).profile
    assert (profile.fuse.method, profile.select.results) == ("dbsf", 3)
    assert profile.prepare == Profile().prepare


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[fuze]\n", "unknown key 'fuze'"),
        ("[fuse]\nkay = 1\n", "unknown key 'fuse.kay'"),
        ('[fuse]\nk = "x"\n', r": fuse\.k: Expected"),
        ("fuse = 3\n", "'fuse' is a table"),
        ('[fuse]\nmethod = "magic"\n', r": fuse\.method: Invalid"),
        ("[retrieve]\ndense_limit = 0\n", "dense_limit"),
        ("[select]\nresults = 1000\n", r"load\.pool"),
        ('preset = "nope"\n', "no preset is named 'nope'"),
        ("[fuse\n", "line 1"),
        ("[log]\nmax_bytes = 0\n", "max_bytes is 0"),
        ("[cache]\nlimit_mb = inf\n", "limit_mb is inf"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_the_file(
    tmp_path: Path, text: str, named: str
) -> None:
    (tmp_path / "pincite.toml").write_text(text)
    with pytest.raises(ConfigError, match=named) as caught:
        load_settings({}, tmp_path)
    assert "pincite.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n[stroe]\nkind = 'edge'\n", r":2: unknown key 'stroe'; known here: store, "),
        ("[modles]\nllm = ''\n", ":1: unknown key 'modles'; known here: models, "),
        ("[[sources]]\npath = '.'\n", "unknown key 'sources'; known here: source, "),
        ("[collection.main]\nweight = 1\n", "unknown key 'collection'; known here: collections, "),
        ("[fuse]\n\nmetod = 'rrf'\n", ":3: unknown key 'fuse.metod'; known here: method, "),
        ("[store]\nkidn = 'edge'\n", ":2: unknown key 'store.kidn'; known keys: kind, "),
        ("[models]\nlmm = ''\n", ":2: unknown key 'models.lmm'; known keys: llm, "),
        ("[collections.a]\nwieght = 1\n", "toml:2: .* 'wieght'; known keys: weight, "),
        ("[fuse]\nk = 9\nmethod = 'rff'\n", r":3: .*'rff'.*; one of: rrf, rrf_bonus, "),
        ("[answer]\nmode = 'stritc'\n", r":2: .*'stritc'.*; one of: strict, open, learning"),
        ("[context]\naround = 'all'\n", r":2: .*'all'.*; one of: none, unit, neighbours, section"),
        ("[store]\nkind = 'egde'\n", r":2: store\.kind: .*'egde'.*; one of: edge, "),
        ("[refresh]\nmode = 'atuo'\n", r":2: refresh\.mode: .*'atuo'.*; one of: auto, manual"),
        ("[[source]]\npath = '.'\nanchors = 'x'\n", r":3: .*'x'.*; one of: mkdocs, github, none"),
        ("[select]\nresults = 'x'\n", r":2: select\.results: Expected `int`, got `str`$"),
        ("[answer]\nrewrite = 3\n", r":2: answer\.rewrite: Expected `bool`, got `int`$"),
        ("[log]\nkeep = 'x'\n", r":2: log\.keep: Expected `int`, got `str`$"),
        ("[cover]\n\ncandidates = 0\n", r":3: cover\.candidates is 0; "),
        ("[answer]\nanswer_tokens = 0\n", r":2: answer\.answer_tokens is 0; "),
        ("[diversify]\nfetch = 0\n", r":2: diversify\.fetch is 0; "),
        ("[diversify]\nrelevance = 2.0\n", r":2: diversify\.relevance is 2\.0; "),
        ("[probe]\nthreshold = -1.0\n", r":2: probe\.threshold is -1\.0; "),
        ("[smooth]\nneighbours = 9\npool = 0\n", r":3: smooth\.pool is 0; "),
        ("[store]\nshards = -1\n", r":2: store\.shards is -1; "),
        ("[log]\nkeep = -1\n", r":2: log\.keep is -1; "),
        ("[pack]\nmax_chars = -1\n", r":2: pack\.max_chars is -1; "),
        ("[collections.a]\ndepth = -1\n", r":2: \[collections\.a\]: depth is -1; "),
        ("[providers.x]\nquery_terms = -1\n", r":2: \[providers\.x\]: query_terms is -1; "),
        ("[providers.x]\ndocument_terms = -1\n", r":2: .*: document_terms is -1; "),
        ("[providers.x]\nprune_below = -0.5\n", r":2: .*: prune_below is -0\.5; "),
        ("[workspace]\nmetadata_chars = 0\n", r":2: workspace\.metadata_chars is 0; "),
        ("[workspace.oidc]\nskew_s = -1\n", r":2: workspace\.oidc\.skew_s is -1"),
        ("[models]\nllm = 3\n", r":2: models\.llm: "),
        ("[cache]\nlimit_mb = -1\n", r":2: cache\.limit_mb is -1"),
        ("[attributes]\na = 'x'\n", r":2: \[attributes\]: a is 'x'"),
    ],
)
def test_a_mistyped_key_or_value_is_told_with_its_line_and_with_what_may_stand_there(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "pincite.toml").write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_settings({}, tmp_path)


LIMITS = (
    *("answer.timeout_s", "retrieve.timeout_s", "rerank.timeout_s", "expand.timeout_s"),
    *("gate.answerable_s", "store.timeout_s", "collections.a.timeout_s"),
    *("providers.x.timeout_s", "providers.x.deadline_s"),
)
OTHERS = (
    *("cover.word_weight", "retrieve.identifier_weight", "rerank.start_ms"),
    *("gate.coverage_share.weak_at", "providers.x.prune_below", "providers.x.body.temperature"),
    *("providers.x.body.timeout_s", "workspace.oidc.skew_s"),
)


@pytest.mark.parametrize(
    ("key", "number"),
    [
        *((key, one) for key in LIMITS for one in ("nan", "-inf", "-9223372036854775809")),
        *((key, one) for key in OTHERS for one in ("nan", "inf", "-1e400", "9223372036854775808")),
    ],
)
def test_a_number_that_is_not_finite_or_too_large_is_refused_with_its_line(
    tmp_path: Path, key: str, number: str
) -> None:
    table, _, name = key.rpartition(".")
    (tmp_path / "pincite.toml").write_text(f"[{table}]\n\n{name} = {number}\n")
    with pytest.raises(ConfigError, match=rf"pincite\.toml:3: {re.escape(key)} is ") as caught:
        load_settings({}, tmp_path)
    assert "remove the key" in caught.value.hint


@pytest.mark.parametrize("key", LIMITS)
def test_a_time_limit_may_be_infinite(tmp_path: Path, key: str) -> None:
    table, _, name = key.rpartition(".")
    foreign = (
        'qdrant = "a"\nurl = "http://localhost:6333"\nmodel = "bundled"\nfields = "langchain"\n'
    )
    needed = foreign if "collections" in table else ""
    (tmp_path / "pincite.toml").write_text(f"[{table}]\n{needed}{name} = inf\n")
    load_settings({}, tmp_path)


def test_the_least_integer_of_64_bits_is_a_number() -> None:
    check_numbers({"a": [-(2**63), 2**63 - 1]})
    for number in (-(2**63) - 1, 2**63):
        with pytest.raises(ConfigError, match="outside of 64 bits"):
            check_numbers({"a": number})


def test_a_number_of_a_list_in_a_table_is_refused_with_the_line_of_the_table(
    tmp_path: Path,
) -> None:
    text = "[[source]]\npath = 'x'\n[[source]]\npath = 'y'\nattributes = { a = [1, nan] }\n"
    (tmp_path / "pincite.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"toml:5: source\.2\.attributes\.a\.2 is nan"):
        load_settings({}, tmp_path)


@pytest.mark.parametrize(
    ("name", "number"),
    [("PINCITE_IDLE_S", "nan"), ("SEARCH_VECTOR_WEIGHT", "nan"), ("PINCITE_THREADS", "inf")],
)
def test_a_variable_takes_no_number_that_is_not_finite(
    tmp_path: Path, name: str, number: str
) -> None:
    with pytest.raises(ConfigError, match=f"{name} is {number}"):
        load_settings({name: number}, tmp_path)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_profile_takes_no_number_that_is_not_finite(number: float) -> None:
    with pytest.raises(ConfigError, match=r"retrieve\.widened is "):
        Profile(retrieve=RetrieveConfig(widened=number))


def test_an_unknown_table_is_told_with_all_that_there_are(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text("[stroe]\n")
    with pytest.raises(ConfigError) as caught:
        load_settings({}, tmp_path)
    known = caught.value.message.partition("known here: ")[2].split(", ")
    assert {key.path[0] for key in keys()} | {"extends", "preset"} == set(known)
    assert (tmp_path / "pincite.toml").write_text("".join(f"[{n}]\n" for n in SECTIONS))
    load_settings({}, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PINCITE_IDLE_S", "soon"),
        ("PINCITE_IDLE_S", "-1"),
        ("PINCITE_OFFLINE", "maybe"),
        ("PINCITE_CONFIG", "/no/such/file.toml"),
        ("PINCITE_INDX", "/typo"),
    ],
)
def test_what_is_wrong_in_the_environment_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load_settings({name: value}, tmp_path)


def test_a_file_may_begin_with_the_mark_that_editors_put_there(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_bytes(b"\xef\xbb\xbf[select]\r\nresults = 3\r\n")
    assert load_settings({}, tmp_path).profile.select.results == 3


@pytest.mark.parametrize("held", ["one\ntwo", "two words", "schlüssel", " \n"])
def test_a_file_that_holds_no_key_is_sent_to_no_server(tmp_path: Path, held: str) -> None:
    (tmp_path / "private").write_text(held)
    store = '[store]\nurl = "https://q.example"\nkey_file = "private"\n'
    (tmp_path / "pincite.toml").write_text(store)
    with pytest.raises(ConfigError, match="private") as caught:
        store_key({}, load_settings({}, tmp_path).store)
    assert held.strip() not in str(caught.value) or not held.strip()


def test_every_variable_is_described() -> None:
    from pincite.settings import load

    assert load.__doc__ is not None
    assert all(f"`{name}`" in load.__doc__ for name in VARIABLES)


def test_a_profile_is_frozen() -> None:
    profile: Any = Profile()
    with pytest.raises(AttributeError, match="immutable"):
        profile.fuse = None


def test_a_table_is_laid_over_a_base(tmp_path: Path) -> None:
    base = profile_from({"fuse": {"k": 7}}, "first")
    profile = profile_from({"fuse": {"dense_weight": 0.25}}, "second", base)
    assert (profile.fuse.k, profile.fuse.dense_weight) == (7, 0.25)


def test_a_profile_that_shows_more_looks_deeper() -> None:
    few, many = Profile().showing(5), Profile().showing(200)
    assert few.select.results == 5
    assert (few.load, few.retrieve) == (Profile().load, Profile().retrieve)
    assert (many.retrieve.dense_limit, many.retrieve.sparse_limit) == (400, 400)
    assert (many.load.pool, many.select.results) == (400, 200)
