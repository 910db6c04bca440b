"""Every key: known, described, shown with its value, and used again as it was shown."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from pincite.presets import PRESETS, preset_names, preset_table, preset_text
from pincite.settings import load as load_module
from pincite.settings.file.keys import in_force, keys, page_rows
from pincite.settings.file.layers import PRECEDENCE
from pincite.settings.file.meanings import MEANINGS
from pincite.settings.file.preset_file import differences, preset_file
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.models import ModelSettings
from pincite.support.fields import replace

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
PRESET_ROW = re.compile(r"^\| `([a-z-]+)` \| .+ \|$", re.MULTILINE)


def loaded(folder: Path, text: str) -> Settings:
    folder.mkdir(exist_ok=True)
    (folder / "pincite.toml").write_text(text, encoding="utf-8")
    return load_settings({}, folder)


def models_of(settings: Settings) -> ModelSettings:
    """Models without what finds their keys, which is another object each time."""
    return replace(settings.use, key_of=ModelSettings().key_of)


def test_every_key_has_a_meaning_and_every_meaning_a_key() -> None:
    known = {(".".join(key.table), key.path[-1]) for key in keys()}
    said = {(table, name) for table, names in MEANINGS.items() for name in names}
    assert known - said == set(), "describe these in settings/file/meanings.py"
    assert said - known == set(), "these are keys no more"
    assert all(key.meaning for key in keys())


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_that_is_shown_and_used_as_a_file_is_the_same_system(
    tmp_path: Path, name: str
) -> None:
    shown = loaded(tmp_path / "shown", preset_file(name))
    named = loaded(tmp_path / "named", f'extends = "{name}"\n')
    assert shown.profile == named.profile == PRESETS[name]
    assert repr(shown.profile) == repr(PRESETS[name])
    assert (shown.store, shown.log, shown.sources, dict(shown.foreign)) == (
        named.store,
        named.log,
        named.sources,
        dict(named.foreign),
    )
    assert models_of(shown) == models_of(named)
    assert differences(tomllib.loads(preset_file(name)), preset_table(name)) == {}


def test_a_preset_is_hidden_by_a_file_that_sets_all_its_keys_to_something_else(
    tmp_path: Path,
) -> None:
    every = loaded(tmp_path, preset_file("general"))
    assert every.hides("evidence")
    assert every.hides("multi-model")
    assert not every.hides("general")
    assert not loaded(tmp_path, preset_file("evidence")).hides("evidence")
    assert not loaded(tmp_path, 'extends = "evidence"\n[select]\nresults = 3\n').hides("general")
    assert not loaded(tmp_path, 'extends = "evidence"\n').hides("evidence")
    assert not load_settings({}, tmp_path / "none").hides("evidence")


@pytest.mark.parametrize("name", PRESETS)
def test_a_shown_preset_holds_every_key_and_every_reason_of_its_file(name: str) -> None:
    text = preset_file(name)
    table = tomllib.loads(text)
    for key in keys():
        if key.named:
            inner = table
            for part in key.path:
                inner = inner[part]
        else:
            assert f"# {key.path[-1]} = " in text
    comments = [line for line in preset_text(name).splitlines() if line.startswith("# ")]
    assert [line for line in comments if line not in text.splitlines()] == []
    values, usual = in_force(preset_table(name)), in_force({})
    differing = [path for path in values if path in usual and values[path] != usual[path]]
    assert text.count("\n# general: ") == len(differing)


def test_the_tables_of_names_can_be_used_when_the_sign_is_taken_away(tmp_path: Path) -> None:
    text = preset_file("general")
    filled = re.sub(r'^# (\w+ = )"\.\.\."', r'# \1"x:y"', text, flags=re.MULTILINE)
    plain, theirs = filled.split("# [collections.NAME]  # of another program")
    block, rest = theirs.split("\n\n", 1)
    block = block.replace('url = ""', 'url = "https://q.example"').replace(
        'fields = "x:y"', 'fields = "langchain"'
    )
    taken = re.sub(
        r"^# (\[|\w+ = )", r"\1", f"{plain}# [collections.OTHER]{block}\n\n{rest}", flags=re.M
    )
    settings = loaded(tmp_path, taken.replace("\nextends = ", "\n# extends = "))
    assert set(settings.use.options) == {"NAME"}
    assert set(settings.foreign) == {"OTHER"}
    assert settings.use.providers["NAME"].rates["MODEL"].requests_per_minute == 0
    assert len(settings.sources) == 1


def test_systems_differ_in_what_is_set_and_not_in_what_is_usual() -> None:
    mine = {"providers": {"x": {"tries": 3}}, "source": [{"path": "a"}]}
    assert differences(mine, {}) == {("providers", "x", "tries"): (3, None)}
    assert differences({"fuse": {"k": 60}}, {}) == {}
    assert differences({"store": {"url": "http://q"}}, {})[("store", "kind")] == ("qdrant", "edge")
    assert differences({}, {"prepare": {"expansions": {"*": ["{query}"]}}}) == {
        ("prepare", "expansions", "*"): (None, ["{query}"])
    }


def test_a_list_of_fixed_values_names_them_unchanged() -> None:
    (key,) = (one for one in keys() if one.path[-1] == "algorithms")
    assert key.type.startswith('list of "RS256", ')
    assert key.type.endswith('"ES512"')


def test_the_page_lists_every_key_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8").split("\n## Every key\n")[1].split("\n## ")[0]
    listed = [line for line in page.splitlines() if line.startswith("| `")]
    below = [line for line in listed if not re.match(r"\| `(extends|preset)`", line)]
    assert below == [*page_rows()], "python -m pincite.settings.file.keys prints the rows"
    assert len(listed) - len(below) == 2


def test_the_page_lists_every_variable_as_the_code_describes_it() -> None:
    assert load_module.__doc__ is not None
    described = [line for line in load_module.__doc__.splitlines() if line.startswith("| `")]
    page = PAGE.read_text(encoding="utf-8").split("\n## Variables\n")[1].split("\n## ")[0]
    assert [line for line in page.splitlines() if line.startswith("| `")] == described


def test_the_page_says_what_wins_over_what_as_the_code_does() -> None:
    page = PAGE.read_text(encoding="utf-8").split("\n## Precedence\n")[1].split("\n## ")[0]
    numbered = re.findall(r"^\d+\. (.+?)\.?$", page, re.MULTILINE)
    assert tuple(numbered) == PRECEDENCE


def test_the_page_names_every_preset() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Presets")[2].partition("```")[0]
    assert PRESET_ROW.findall(section) == list(preset_names())
