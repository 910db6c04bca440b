"""Passages of a document that a caller may read in part, and sources that only others may know."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from pincite import Pincite
from pincite.asking import SearchOptions
from pincite.model import EvidencePack, Scope
from pincite.settings.load import load_settings
from pincite.stages.context import Around
from tests.time_limits import HANGS_S

_STEPS: Final = "".join(f"        a{n} = compute_something({n}, secret)\n" for n in range(17))
#: A method of two chunks, the second of which is confidential.
METHOD: Final = (
    "class Keys:\n    def rotate_key(self, secret):\n"
    f'        """Rotate the key."""\n{_STEPS}'
    '        token = "confidential-hunter2"\n        return token\n'
)
ATTRIBUTES: Final = '[attributes]\ndocument_id = "keyword"\n'


@pytest.fixture(scope="module")
def pincite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pincite]:
    folder = tmp_path_factory.mktemp("passages")
    (folder / "code").mkdir()
    (folder / "code" / "keys.py").write_text(METHOD, encoding="utf-8")
    with Pincite(load_settings({}, folder, folder / ".pincite")) as opened:
        opened.index(folder / "code", name="code", lexical=True)
        yield opened
        opened.stop()


@pytest.mark.parametrize("around", ["unit", "neighbours", "section", "none"])
@pytest.mark.parametrize(
    "bound", ["not text ~ confidential", "text ~ 'Rotate the key'", "start_line <= 3"]
)
def test_no_text_of_hidden_passages_is_shown_around_others(
    pincite: Pincite, bound: str, around: Around
) -> None:
    def ask(scope: Scope) -> str:
        pack = pincite.find(SearchOptions("how to rotate a key", scope=scope, context=around))
        assert "rotate_key" in pack.evidence[0].text
        return pack.to_prompt(max_tokens=2_000)

    assert "hunter2" not in ask(Scope(bound_where=bound))
    if around == "unit":
        assert "hunter2" in ask(Scope())


async def _public(ids: frozenset[str]) -> frozenset[str]:
    return ids & {"public"}


def _told(pack: EvidencePack) -> list[str]:
    return [one.message for one in pack.warnings if one.code == "not_refreshed"]


def test_a_source_that_only_others_know_is_not_named_where_it_cannot_be_refreshed(
    tmp_path: Path,
) -> None:
    (tmp_path / "pincite.toml").write_text(ATTRIBUTES, encoding="utf-8")
    for name in ("public", "merger"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("# Keys\n\nA key is rotated.\n", encoding="utf-8")
    with Pincite(load_settings({}, tmp_path, tmp_path / ".pincite")) as opened:
        for name in ("public", "merger"):
            of = {"document_id": name}
            opened.index(tmp_path / name, name=name, lexical=True, attributes=of)
        opened.stop()
    shutil.rmtree(tmp_path / "merger")
    with Pincite(tmp_path / ".pincite", refresh="auto") as opened:
        asked, until_s = SearchOptions("how is a key rotated"), time.monotonic() + HANGS_S
        while not any("merger" in one for one in _told(opened.find(asked))):
            assert time.monotonic() < until_s
            time.sleep(0.05)
        pack = opened.find(asked, admit=_public)
        assert [one.source for one in pack.evidence] == ["public"]
        assert _told(pack) == ["main is not kept up to date"]
        opened.stop()
