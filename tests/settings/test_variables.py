"""Words that all variables of one kind take, and variables that a search in the daemon is sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.settings.index_folder import nearest
from pincite.settings.load import Settings, load_settings
from pincite.settings.variables import QDRANT_KEY, flag

#: What each variable turns on.
SWITCHES: dict[str, Callable[[Settings], bool]] = {
    "PINCITE_OFFLINE": lambda settings: settings.offline,
    "PINCITE_TRUST": lambda settings: not settings.index_found,
    "PINCITE_LOG": lambda settings: settings.log.enabled,
    "RERANK_ENABLED": lambda settings: settings.use.rerank != "",
    "QUERY_REWRITE_ENABLED": lambda settings: settings.profile.answer.rewrite,
}
OF_THE_FILE = "[log]\nenabled = false\n[answer]\nrewrite = false\n"


@pytest.mark.parametrize("name", SWITCHES)
def test_every_switch_takes_the_same_words(tmp_path: Path, name: str) -> None:
    (tmp_path / "pincite.toml").write_text(OF_THE_FILE)

    def read(word: str) -> Settings:
        return load_settings({name: word}, tmp_path)

    is_on = SWITCHES[name]
    assert [is_on(read(word)) for word in ("1", "true", "on", " On ")] == [True] * 4
    assert [is_on(read(word)) for word in ("0", "False", "off", "", " ")] == [False] * 5
    with pytest.raises(ConfigError, match=f"^{name} is 'yes'; use one of 1, true, on, 0, "):
        read("yes")


def test_a_switch_that_is_not_set_is_neither_on_nor_off() -> None:
    assert [flag(environ, "A") for environ in ({}, {"A": " "}, {"A": "0"})] == [None, None, False]


def test_a_search_in_the_daemon_is_sent_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".pincite").mkdir()
    (tmp_path / ".pincite" / "catalog.db").touch()
    found = nearest(None, {QDRANT_KEY: "k", "SEARCH_MODE": "vector"})
    assert found is not None
    assert found.variables == {"SEARCH_MODE": "vector"}
    assert nearest(None, {"PINCITE_QDRANT_KEY": "k"}) is None
