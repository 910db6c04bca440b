"""An error about a file that is not there says what to do about it."""

from __future__ import annotations

import asyncio

import pytest

from pincite.citations.resolve import NotNamed
from pincite.engine import AsyncPincite
from pincite.surfaces.tools.hints import error_text
from tests.citations.repository import Repository, repository

__all__ = ["repository"]


def test_each_name_that_is_not_there_gets_its_own_hint(repository: Repository) -> None:
    cited = f"acme@{repository.sha}:docs/old.md#L1-L2"
    hints = {
        cited: f"it may have been moved or deleted: pincite verify '{cited}'",
        "docs": "it is a folder; name a file in it, such as docs/page.md",
        "./docs/": "it is a folder; name a file in it, such as docs/page.md",
        "docs/pagee.md:3": "did you mean docs/page.md?",
        "/etc/none.md:3:4": "only files of indexed folders can be read: pincite index PATH",
        "zzz": "pincite ls",
        "albums_in_dir": 'a name is found by a search: pincite search "albums_in_dir"',
        "Page.turn()": 'a name is found by a search: pincite search "Page.turn()"',
        "pagee.md": "did you mean docs/page.md?",
    }

    async def all_hints() -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        async with AsyncPincite(repository.settings) as engine:
            for locator in hints:
                with pytest.raises(NotNamed, match="no indexed file is named") as caught:
                    await engine.get(locator)
                found[locator] = caught.value.hint
        return found

    assert asyncio.run(all_hints()) == hints
    for_agents = error_text(NotNamed("there is none", hint=hints[cited]))
    assert (
        for_agents
        == "there is none\n  try: it may have been moved or deleted: call verify_citations"
    )
    for hint in ("pincite ls", hints["Page.turn()"]):
        assert "call search_evidence" in error_text(NotNamed("there is none", hint=hint))
