"""`[collections.NAME]` of another program: what is taken and refused, and who gets a key."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.errors import ConfigError
from pincite.settings.sections.foreign import ForeignSettings, key_of, take_foreign_settings
from pincite.stores.settings import StoreSettings

GOOD = {"qdrant": "wiki_v2", "url": "https://q.example", "model": "bundled", "fields": "langchain"}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"colour": "red"}, "unknown key 'colour'; known keys: qdrant, model, fields"),
        ({"api_key": "x"}, "keys are not allowed here"),
        ({"url": ""}, "no server is named"),
        ({"model": "minilm"}, "is not a model name"),
        ({"fields": "lang"}, "no layout is named 'lang'; known layouts: langchain, llamaindex"),
        ({"fields": {"path": "p"}}, "fields.text is missing"),
        (
            {"fields": {"text": "t", "lines": "l"}},
            "fields.lines is unknown; known fields: text, path",
        ),
        ({"fields": 3}, "fields"),
        ({"kind": "pdf"}, "kind"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"qdrant": ""}, "qdrant is empty"),
        ({"depth": -1}, "depth is -1"),
        ({"weight": 0}, "weight is 0"),
    ],
)
def test_wrong_settings_name_file_and_key(values: dict[str, Any], said: str) -> None:
    table: dict[str, Any] = {"collections": {"wiki": {**GOOD, **values}}}
    with pytest.raises(ConfigError) as caught:
        take_foreign_settings(table, "pincite.toml", StoreSettings())
    assert said in caught.value.message
    assert "[collections.wiki]" in caught.value.message


def test_tables_of_our_own_collections_stay() -> None:
    table: dict[str, Any] = {"collections": {"wiki": GOOD, "code": {"dense": "bundled"}}}
    found = take_foreign_settings(table, "pincite.toml", StoreSettings())
    assert list(found) == ["wiki"]
    assert table == {"collections": {"code": {"dense": "bundled"}}}
    store = StoreSettings("qdrant", "https://own.example")
    table = {"collections": {"wiki": {k: v for k, v in GOOD.items() if k != "url"}}}
    assert take_foreign_settings(table, "x", store)["wiki"].url == "https://own.example"


def test_a_key_goes_to_its_own_server_only() -> None:
    def one(url: str) -> ForeignSettings:
        return ForeignSettings(qdrant="a", model="bundled", fields="langchain", url=url)

    environ = {"PINCITE_QDRANT_KEY": "secret"}
    here, there = one("https://own.example"), one("https://their.example")
    own = StoreSettings("qdrant", "https://own.example")
    both = {"here": here, "there": there}
    assert key_of(environ, own, here, both) == "secret"
    assert key_of(environ, own, there, both) is None
    assert key_of(environ, StoreSettings(), there, both) is None
    assert key_of(environ, StoreSettings(), there, {"there": there}) == "secret"
