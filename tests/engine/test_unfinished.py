"""Of which collections a search says that a run was cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.engine.search_notices import unfinished_collections
from pincite.model import CollectionSpec, Scope, Source, SourceRecord
from pincite.ports import CollectionInfo
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.refresh import RefreshMode, RefreshSettings
from pincite.support.fields import replace


def settings(*, auto: bool = True, remote: bool = False) -> Settings:
    given = load_settings({}, Path("/nowhere"))
    mode: RefreshMode = "auto" if auto else "manual"
    return replace(given, refresh=RefreshSettings(mode, remote=remote))


@pytest.mark.parametrize(
    ("model", "refresh", "expected"),
    [
        ("", {}, ()),
        ("fastembed:BAAI/bge-small-en-v1.5", {}, ()),
        ("openai:text-embedding-3-small", {}, ("main",)),
        ("openai:text-embedding-3-small", {"remote": True}, ()),
        ("", {"auto": False}, ("main",)),
    ],
)
def test_a_cut_off_run_is_told_of_unless_the_daemon_continues_it(
    model: str, refresh: dict[str, bool], expected: tuple[str, ...]
) -> None:
    record = SourceRecord(Source("docs", "/d", "folder"), complete=False)
    spec = CollectionSpec("main", "s", "c", model=model)
    info = CollectionInfo(spec, (record,), 0, 0, 0)
    assert unfinished_collections([info], Scope(), settings(**refresh)) == expected
