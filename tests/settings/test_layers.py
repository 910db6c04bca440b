"""What a file extends: merged key by key, found from where it stands, refused where it is wrong."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.presets import PRESETS
from pincite.settings.file.layers import Layer, merged, place_of
from pincite.settings.file.toml_file import lines_of
from pincite.settings.file.toml_text import assignment
from pincite.settings.load import Settings, load_settings


def load(folder: Path, text: str, **variables: str) -> Settings:
    """What a `pincite.toml` with this text says."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pincite.toml").write_text(text)
    return load_settings(variables, folder)


def refused(folder: Path, text: str, **variables: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(folder, text, **variables)
    return caught.value


@pytest.mark.parametrize("word", ["extends", "preset"])
def test_a_preset_is_extended_by_either_word(tmp_path: Path, word: str) -> None:
    settings = load(tmp_path, f'{word} = "evidence"\n[load]\npool = 99\n')
    assert settings.profile.load.pool == 99
    assert settings.profile.load.share == PRESETS["evidence"].load.share
    assert settings.profile.fuse == PRESETS["evidence"].fuse


def test_both_words_together_are_refused_with_both_lines(tmp_path: Path) -> None:
    error = refused(tmp_path, 'extends = "evidence"\n\npreset = "general"\n')
    assert f'extends = "evidence" ({tmp_path}/pincite.toml:1) and preset = "general"' in str(error)
    assert f"({tmp_path}/pincite.toml:3)" in str(error)


def test_a_file_is_extended_from_where_the_extending_one_stands(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(
        'extends = "multi-model"\n[select]\nresults = 5\ndocs = 1\n'
    )
    (tmp_path / "team").mkdir()
    (tmp_path / "team/team.toml").write_text('extends = "../base.toml"\n[select]\nresults = 6\n')
    profile = load(tmp_path / "a", 'extends = "../team/team.toml"\n[load]\npool = 50\n').profile
    assert (profile.load.pool, profile.select.results, profile.select.docs) == (50, 6, 1)
    assert profile.across == PRESETS["multi-model"].across


def test_an_option_changes_the_preset_at_the_bottom_and_nothing_above_it(tmp_path: Path) -> None:
    (tmp_path / "team.toml").write_text('extends = "multi-model"\n[select]\nresults = 5\n')
    settings = load(tmp_path, 'extends = "./team.toml"\n[load]\npool = 50\n')
    profile = settings.preset("evidence")
    assert (profile.load.pool, profile.select.results) == (50, 5)
    assert profile.across == PRESETS["evidence"].across
    assert profile.fuse == PRESETS["evidence"].fuse


def test_tables_are_merged_and_lists_replaced(tmp_path: Path) -> None:
    base = (
        "[collections.code]\ndepth = 7\nweight = 0.5\n"
        '[prepare.expansions]\nx = ["a {query}", "b {query}"]\n'
        '[[source]]\npath = "theirs"\n'
    )
    (tmp_path / "base.toml").write_text(base)
    mine = (
        'extends = "./base.toml"\n[collections.code]\ndepth = 9\n'
        '[prepare.expansions]\nx = ["c {query}"]\n'
    )
    settings = load(tmp_path, mine)
    options = settings.use.options["code"]
    assert (options.depth, options.weight) == (9, 0.5)
    assert dict(settings.profile.prepare.expansions) == {"x": ("c {query}",)}
    assert [Path(one.path).name for one in settings.sources] == ["theirs"]
    settings = load(tmp_path, mine.replace("\nx = [", "\ny = ["))
    assert dict(settings.profile.prepare.expansions) == {"y": ("c {query}",)}
    settings = load(tmp_path, mine + '[[source]]\npath = "mine"\n')
    assert [Path(one.path).name for one in settings.sources] == ["mine"]


def test_paths_count_from_the_file_they_stand_in(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team/key").write_text("secret-1")
    (tmp_path / "team/team.toml").write_text(
        '[[source]]\npath = "docs"\n[providers.voyage]\nkey_file = "key"\n'
        '[store]\nurl = "https://q.example"\nkey_file = "key"\n[rerank]\ntokenizer = "t.json"\n'
    )
    settings = load(tmp_path / "a", 'extends = "../team/team.toml"\n')
    team = tmp_path / "team"
    assert settings.sources[0].path == str(team / "docs")
    assert settings.use.providers["voyage"].key_file == str(team / "key")
    assert settings.store.key_file == str(team / "key")
    assert settings.profile.rerank.tokenizer == str(team / "t.json")
    mine = load(tmp_path / "a", '[providers.voyage]\nkey_file = "key"\n').use
    assert mine.providers["voyage"].key_file == str(tmp_path / "a/key")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('extends = "./gone.toml"\n', "no file"),
        ('extends = "evidnce"\n', "no preset is named 'evidnce'; known presets: evidence, general"),
        ("extends = 3\n", "no preset is named 3"),
        ('extends = ["evidence"]\n', r"no preset is named \['evidence'\]"),
        ('extends = "./pincite.toml"\n', "in a circle"),
        ('extends = "/"\n', "is not a file"),
        ('extends = "/dev/zero"\n', "is not a file"),
        ('extends = "./pipe.toml"\n', "is not a file"),
        ('extends = "./large.toml"\n', "more than 128,000 bytes"),
        ('extends = "./dots.toml"\n', "line 2 has more than 100 dots"),
        ('extends = "./deep.toml"\n', "nested"),
        ('extends = "./headers.toml"\n', "nested more than 30 deep"),
        ('extends = "./digits.toml"\n', "digits"),
        ('extends = "./latin.toml"\n', "utf-8"),
        ('extends = "~nobody-at-all/x.toml"\n', "home directory"),
        ('extends = "a\\u0000b.toml"\n', "no file"),
        (f'extends = "./{"x" * 5000}.toml"\n', "too long"),
        ('extends = "https://example.org/team.toml"\n', "no file"),
    ],
)
def test_what_cannot_be_extended_is_named_with_the_file(
    tmp_path: Path, text: str, said: str
) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "large.toml").write_text("#" * 300_000)
    (tmp_path / "dots.toml").write_text("\n" + ".".join("a" * 20_000) + " = 1\n")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 5_000)
    (tmp_path / "headers.toml").write_text("[" + ".".join("a" * 60) + "]\n")
    (tmp_path / "digits.toml").write_text("a = " + "9" * 5_000)
    (tmp_path / "latin.toml").write_bytes(b"a = '\xe9'\n")
    error = refused(tmp_path, text)
    with pytest.raises(ConfigError, match=said):
        raise error
    assert str(tmp_path) in error.message


def test_files_that_extend_each_other_in_a_circle_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('extends = "./b.toml"\n')
    (tmp_path / "b.toml").symlink_to(tmp_path / "a.toml")
    assert "a.toml -> " in refused(tmp_path, 'extends = "./a.toml"\n').message


def test_ten_files_may_extend_each_other_and_no_more(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.toml").write_text(f'extends = "./{number + 1}.toml"\n')
    (tmp_path / "9.toml").write_text("[select]\nresults = 4\n")
    assert load(tmp_path, 'extends = "./1.toml"\n').profile.select.results == 4
    assert "more than 10 files" in refused(tmp_path, 'extends = "./0.toml"\n').message


def test_what_is_wrong_in_an_extended_file_is_named_with_that_file(tmp_path: Path) -> None:
    (tmp_path / "team.toml").write_text("[fuse]\nkay = 1\n")
    error = refused(tmp_path, 'extends = "./team.toml"\n[select]\nresults = 3\n')
    assert error.message.startswith(f"{tmp_path}/team.toml:2: unknown key 'fuse.kay'")
    (tmp_path / "team.toml").write_text('[fuse]\nk = "x"\n')
    error = refused(tmp_path, 'extends = "./team.toml"\n[select]\nresults = 3\n')
    assert error.message.startswith(f"{tmp_path}/team.toml:2: ")


def test_a_file_that_is_no_configuration_is_refused_without_a_value_of_it(tmp_path: Path) -> None:
    """It may be any file of the user, and messages go to agents and logs."""
    for text in ('token = "s3cret"', '[registry]\ntoken = "s3cret"', "[x]\ns3cret s3cret\n"):
        (tmp_path / "theirs.toml").write_text(text)
        assert "s3cret" not in str(refused(tmp_path, 'extends = "./theirs.toml"\n'))


@pytest.mark.parametrize(
    ("base", "mine", "variables", "said"),
    [
        (
            'extends = "evidence"\n',
            "[smooth]\nweight = 0.3\n",
            {},
            "smooth.weight = 0.3 ({mine}:3) and load.vectors = false (preset evidence): ",
        ),
        (
            '[retrieve]\nengine_fusion = "rrf"\n',
            "",
            {"SEARCH_VECTOR_WEIGHT": "0.8"},
            'fuse.vector_weight = 0.8 ($SEARCH_VECTOR_WEIGHT) and retrieve.engine_fusion = "rrf"'
            " (extends ./team.toml:2): ",
        ),
        (
            "",
            "\n\n[select]\nresults = 1000\n",
            {},
            "select.results = 1000 ({mine}:5) and load.pool = 30 (default): ",
        ),
        (
            '[store]\nkind = "sqlite"\n',
            '[store]\nurl = "https://me:hidden@q.example"\n',
            {},
            'store.kind = "sqlite" (extends ./team.toml:2) and store.url ='
            ' "https://...@q.example" ({mine}:3): ',
        ),
        (
            "[select]\ndocs = 8\n",
            "[select]\ncode = 8\n",
            {},
            "select.docs = 8 (extends ./team.toml:2) and select.code = 8 ({mine}:3): ",
        ),
        (
            "[gate.coverage_share]\nweak_at = 0.4\n",
            "[gate]\ncoverage_share = { grounded_at = 0.1 }\n",
            {},
            "gate.coverage_share.weak_at = 0.4 (extends ./team.toml:2) and"
            " gate.coverage_share.grounded_at = 0.1 ({mine}:3): ",
        ),
        (
            "",
            "[gate.dense_cosine]\ngrounded_at = 0.1\n",
            {},
            "gate.dense_cosine.weak_at = 0.35 (default) and gate.dense_cosine.grounded_at = 0.1"
            " ({mine}:3): ",
        ),
    ],
)
def test_a_contradiction_is_named_with_both_places(
    tmp_path: Path, base: str, mine: str, variables: Mapping[str, str], said: str
) -> None:
    (tmp_path / "team.toml").write_text(base)
    error = refused(tmp_path, f'extends = "./team.toml"\n{mine}', **variables)
    assert error.message.startswith(said.format(mine=tmp_path / "pincite.toml"))
    assert "hidden" not in str(error)


def test_a_contradiction_with_a_preset_that_is_chosen_later_is_named_too(tmp_path: Path) -> None:
    settings = load(tmp_path, "[smooth]\nweight = 0.2\n")
    with pytest.raises(ConfigError, match=r"toml:2\) and load.vectors = false \(preset evidence\)"):
        settings.preset("evidence")


names = st.text(min_size=1, max_size=5) | st.sampled_from(["a", "b c", "d.e", "", '"', "\x7f"])
values = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@given(names.filter(lambda name: "\r" not in name), values)
def test_what_is_written_as_toml_is_read_as_it_was(name: str, value: Any) -> None:
    assert tomllib.loads(assignment(name, value)) == {name: value}


@given(st.lists(st.dictionaries(st.sampled_from("abc"), values, max_size=3), max_size=4))
def test_the_value_in_force_stands_where_it_is_said_to_stand(tables: list[dict[str, Any]]) -> None:
    layers = [Layer(str(number), table) for number, table in enumerate(tables)]
    for key, value in merged(layers).items():
        if not isinstance(value, dict):
            assert tables[int(place_of(layers, [key]))][key] == value


@given(st.dictionaries(st.sampled_from("abcdef"), values, max_size=4), st.booleans())
def test_a_key_has_the_line_on_which_it_begins(table: dict[str, Any], spaced: bool) -> None:
    gap = "\n# a comment = 1\n\n" if spaced else "\n"
    text = gap.join(assignment(name, value) for name, value in table.items())
    lines = text.split("\n")
    for path, number in lines_of(text).items():
        assert lines[number - 1].startswith(f"{path[0]} = ")
    assert {path[0] for path in lines_of(text)} == set(table)


def test_lines_are_told_of_odd_toml_or_not_at_all() -> None:
    text = '"a.b" = """\n[x]\nc = 1\n"""\n[t]\nq.r = [\n1,\n]\n[[source]]\npath = "a"\n' + (
        '[[source]]\npath = "b"\n"path " = 1\ninl = {u = 1, v = {w = 2}}\n'
    )
    found = lines_of(text)
    assert found[("a.b",)] == 1
    assert ("x", "c") not in found
    assert found[("t", "q", "r")] == 6
    assert (found[("source", "1", "path")], found[("source", "2", "path")]) == (10, 12)
    assert found[("source", "2", "inl", "v", "w")] == 14
    layer = Layer("f", {}, text='[c.x]\ndepth = 1\nfields = { text = "t" }\n')
    assert layer.place(["c", "x", "fields"]) == "f:3"
    assert lines_of("a = 1\nb = [\n" + "1,\n" * 300 + "]\nc = 1\n") == {("a",): 1}
