"""A program's index that does not update itself: what searches say, and how to change it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from pincite import Pincite, UsageError
from pincite.daemon.refresh.freshness import Freshness, Trouble, Wish
from pincite.engine.search_notices import SearchNotices
from pincite.model import EvidencePack, Scope
from pincite.settings.load import load_settings
from pincite.settings.of_index import with_refresh

NOWHERE = "zebra quantum ferment"


def told(pack: EvidencePack) -> list[str]:
    return [one.message for one in pack.warnings if one.code == "not_refreshed"]


def test_a_search_without_results_says_that_nothing_updates_the_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Pincite(".pincite", refresh="manual") as pincite:  # as its user wants it
        assert told(pincite.search(NOWHERE)) == []
    monkeypatch.delenv("PINCITE_REFRESH", raising=False)
    with Pincite(".pincite") as pincite:
        (said,) = told(pincite.search(NOWHERE))
        assert "`refresh()`" in said
        assert "refresh='auto'" in said
        assert told(pincite.search("how is a key rotated?")) == []


def test_a_program_can_let_the_index_update_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_REFRESH", "manual")
    with Pincite(".pincite", refresh="auto") as pincite:
        assert told(pincite.search(NOWHERE)) == []
        assert pincite.freshness().auto
    wrong: Any = "never"
    with pytest.raises(UsageError, match="refresh is 'never'; it takes one of 'auto', 'manual'"):
        Pincite(".pincite", refresh=wrong)


def test_a_deleted_file_is_left_out_with_advice(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "quotas.md"
    page.write_text("# Quotas\n\nThe quota of a tenant is forty gigabytes.\n")
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(tmp_path / "docs", lexical=True)
        page.write_text("# Nothing\n")
        pack = pincite.search("quota of a tenant")
        pincite.stop()
    assert [one.code for one in pack.warnings if one.code == "stale_omitted"]
    assert told(pack)


def test_the_advice_holds_for_an_index_that_was_opened_with_manual(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "quotas.md"
    page.write_text("# Quotas\n\nThe quota of a tenant is forty gigabytes.\n")
    with Pincite(tmp_path / ".pincite", refresh="manual") as pincite:
        pincite.index(tmp_path / "docs", lexical=True)
        page.write_text("# Nothing\n")
        (said,) = told(pincite.search("quota of a tenant"))
        pincite.stop()
    assert "PINCITE_REFRESH" not in said  # the argument has precedence over the variable
    assert said.endswith("call `refresh()` or run `pincite index`, or open it with refresh='auto'")


def test_known_troubles_are_told_though_refresh_is_manual() -> None:
    class Client:
        """A daemon that knows why it does not index."""

        async def look(self, wish: Wish) -> Freshness:
            assert not wish.auto
            return Freshness(troubles=(Trouble("main", "docs", "it needs your consent"),))

    with Pincite(".pincite") as pincite:
        infos, empty = pincite.collections(), pincite.search(NOWHERE)
        pack = pincite.search("how is a key rotated?")
    settings = load_settings({}, Path.cwd(), Path(".pincite"))
    notices = SearchNotices(settings, lambda: cast("Any", Client()))
    said = asyncio.run(notices.manual(empty, infos, Scope()))
    assert said[0].message == "docs is not kept up to date: it needs your consent"
    assert len(said) == 2
    chosen = SearchNotices(with_refresh(settings, "manual"), lambda: cast("Any", Client()))
    assert asyncio.run(chosen.manual(empty, infos, Scope())) == said[:1]
    assert asyncio.run(notices.manual(pack, infos, Scope())) == ()
