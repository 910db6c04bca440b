"""Adapters follow changes of files, and say what to do where they may not."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pincite import Pincite, UsageError
from pincite.surfaces.adk import EvidenceToolset
from pincite.surfaces.frameworks import dspy as our_dspy
from pincite.surfaces.frameworks import haystack as our_haystack
from pincite.surfaces.frameworks import langchain as our_langchain
from pincite.surfaces.frameworks import llamaindex as our_llamaindex
from pincite.surfaces.frameworks.evidence_source import EvidenceSource
from tests.surfaces.frameworks.conftest import Opened

LOG = "pincite.surfaces.frameworks.evidence_source"
NEW = "# Quotas\n\nThe quota of a tenant is forty gigabytes.\n"
QUESTION = "quota of a tenant"


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Indexed pages of a program that has set nothing."""
    monkeypatch.delenv("PINCITE_REFRESH")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "keys.md").write_text("# Keys\n\nTo rotate a key, call `rotate_key`.\n")
    (folder / "backups.md").write_text("# Backups\n\nSnapshots are kept for two weeks.\n")
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(folder, lexical=True)
    return folder


def found_soon(found: Callable[[], list[str]]) -> list[str]:
    """What is found at last, within half a minute."""
    until = time.monotonic() + 30
    while not (texts := found()) and time.monotonic() < until:
        time.sleep(0.1)
    return texts


def of_langchain(index: Path, opened: Opened, **given: Any) -> Callable[[], list[str]]:
    made = opened(our_langchain.PinciteRetriever(index=index, **given))
    return lambda: [one.page_content for one in made.invoke(QUESTION)]


def of_llamaindex(index: Path, opened: Opened, **given: Any) -> Callable[[], list[str]]:
    made = opened(our_llamaindex.PinciteRetriever(index, **given))
    return lambda: [one.node.get_content() for one in made.retrieve(QUESTION)]


def of_haystack(index: Path, opened: Opened, **given: Any) -> Callable[[], list[str]]:
    made = opened(our_haystack.PinciteRetriever(index, **given))
    return lambda: [one.content for one in made.run(QUESTION)["documents"]]


def of_dspy(index: Path, opened: Opened, **given: Any) -> Callable[[], list[str]]:
    made = opened(our_dspy.PinciteRetriever(index, **given))
    return lambda: made(QUESTION).passages


def of_adk(index: Path, opened: Opened, **given: Any) -> Callable[[], list[str]]:
    async def ask() -> list[str]:
        toolset = EvidenceToolset(index, detail="full", **given)
        try:
            answer = await toolset.retrieve_evidence(QUESTION)
        finally:
            await toolset.close()
        return [one["text"] for one in answer["evidence_pack"]["evidence"]]

    return lambda: asyncio.run(ask())


ALL = pytest.mark.parametrize(
    "of", [of_langchain, of_llamaindex, of_haystack, of_dspy, of_adk], ids=lambda one: one.__name__
)


@ALL
def test_an_adapter_finds_a_new_page(docs: Path, opened: Opened, of: Any) -> None:
    found = of(docs.parent / ".pincite", opened)
    assert found() == []
    (docs / "quotas.md").write_text(NEW)
    assert any("forty gigabytes" in text for text in found_soon(found))


@ALL
def test_a_manual_adapter_says_what_to_do(docs: Path, opened: Opened, of: Any) -> None:
    (docs / "quotas.md").write_text(NEW)
    assert of(docs.parent / ".pincite", opened, refresh="manual")() == []
    with pytest.raises((UsageError, ValueError), match="refresh is 'always'"):
        of(docs.parent / ".pincite", opened, refresh="always")()


def test_what_settings_say_counts_more_than_the_default(
    docs: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PINCITE_REFRESH", "manual")
    source = opened(EvidenceSource(docs.parent / ".pincite"))
    assert not source.pincite._engine.settings.refresh.auto
    page = docs / "keys.md"
    page.write_text(page.read_text().replace("rotate_key", "renew_key"))
    with caplog.at_level(logging.WARNING, LOG):
        assert not [one for one in source.retrieve("rotate_key") if "rotate_key" in one.text]
    (told,) = [one for one in caplog.messages if one.startswith("not_refreshed")]
    assert "`refresh()`" in told
    given = opened(EvidenceSource(docs.parent / ".pincite", refresh="auto"))
    assert given.pincite._engine.settings.refresh.auto
