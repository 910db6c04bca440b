"""Attributes in `pincite.toml`: declared, given to sources, required by collections."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.settings.load import Settings, load_settings


def load(folder: Path, table: str) -> Settings:
    (folder / "pincite.toml").write_text(table)
    return load_settings({}, folder)


def test_types_values_and_what_is_required_are_settings(tmp_path: Path) -> None:
    table = """[attributes]
course = "keyword"
topics = "keywords"
[[source]]
path = "lectures"
attributes = { course = "ml", topics = ["nets"], year = 2026, due = 2026-11-22, old = "" }
front_matter = false
[collections.main]
require = ["course", "mode"]
"""
    found = load(tmp_path, table)
    assert found.attributes == {"course": "keyword", "topics": "keywords"}
    (source,) = found.sources
    given = {"course": "ml", "topics": ["nets"], "year": 2026, "due": date(2026, 11, 22), "old": ""}
    assert source.attributes == given
    assert source.front_matter is False
    assert found.use.options["main"].require == ("course", "mode")


def test_nothing_said_about_what_is_required_is_not_the_same_as_nothing_required(
    tmp_path: Path,
) -> None:
    assert load(tmp_path, "[collections.main]\ndepth = 3\n").use.options["main"].require is None
    assert load(tmp_path, "[collections.main]\nrequire = []\n").use.options["main"].require == ()


SOURCE = '[[source]]\npath = "x"\nattributes = '


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("attributes = 3\n", "[attributes] is a table"),
        ('[attributes]\ncourse = "text"\n', "course is 'text', which is not a type"),
        ("[attributes]\ncourse = ['keyword']\n", "which is not a type"),
        ('[attributes]\npath = "keyword"\n', "'path' is reserved by Pincite"),
        ('[attributes]\nPATH = "keyword"\n', "reserved by Pincite"),
        ('[attributes]\n"a-b" = "keyword"\n', "'a-b' is not a valid attribute name"),
        (f"{SOURCE}3\n", "attributes"),
        (f"{SOURCE}{{ path = 'x' }}\n", "x: attributes: 'path' is reserved"),
        (f"{SOURCE}{{ a = {{ b = 1 }} }}\n", "a is a dict"),
        (f"{SOURCE}{{ a = [1] }}\n", "a is a list"),
        (f"{SOURCE}{{ a = nan }}\n", "source.1.attributes.a is nan"),
        (f"{SOURCE}{{ a = 9223372036854775808 }}\n", "outside of 64 bits"),
        (f"{SOURCE}{{ a = 'x' }}\n[attributes]\na = 'integer'\n", "a: 'x' is not a valid integer"),
        ("[[source]]\npath = 'x'\nfront_matter = 'no'\n", "front_matter"),
        ("[collections.main]\nrequire = 'course'\n", "require"),
        ("[collections.main]\nrequire = ['text']\n", "require: 'text' is reserved"),
        ("[collections.main]\nrequire = ['a', 'a']\n", "require has an attribute twice"),
    ],
)
def test_settings_that_make_no_sense_are_named(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"pincite\.toml") as caught:
        load(tmp_path, table)
    assert message in str(caught.value)
