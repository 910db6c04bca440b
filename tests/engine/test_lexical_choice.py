"""Who chose keyword search only needs no warning of it; who did not is told at each search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Pincite
from pincite.errors import PinciteError
from pincite.model import Notice
from pincite.ports import CollectionInfo
from pincite.settings.load import load_settings

QUESTION = "how is a key rotated?"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Pincite]:
    """An engine without any model at hand."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\nA key is rotated each month.\n")
    environ = {"PINCITE_OFFLINE": "1", "PINCITE_MODELS": str(tmp_path / "models")}
    settings = load_settings({**environ, "PINCITE_REFRESH": "manual"}, tmp_path)
    with Pincite(settings) as pincite:
        yield pincite
        pincite.stop()


def codes(engine: Pincite) -> list[str]:
    pack = engine.search(QUESTION)
    assert [item.path for item in pack.evidence] == ["keys.md"]
    return [one.code for one in pack.warnings]


def info(engine: Pincite) -> CollectionInfo:
    (found,) = engine.collections()
    return found


def test_no_search_of_a_collection_that_was_made_lexical_warns_of_it(
    engine: Pincite, tmp_path: Path
) -> None:
    engine.index(tmp_path / "docs", lexical=True)
    assert "lexical_only" not in codes(engine)
    engine.index()
    engine.upsert({"id": "a", "text": "A badger."})
    assert "lexical_only" not in codes(engine)
    with pytest.raises(PinciteError, match="has no dense vectors"):
        engine.search(QUESTION, by="vector")


def test_without_the_model_each_search_warns_until_the_user_chooses(
    engine: Pincite, tmp_path: Path
) -> None:
    notices: list[Notice] = []
    engine.index(tmp_path / "docs", on_notice=notices.append)
    assert "lexical_only" in [one.code for one in notices]
    assert codes(engine) == codes(engine) == ["lexical_only"]
    assert not info(engine).spec.lexical_by_choice
    engine.index(lexical=True)
    assert info(engine).spec.lexical_by_choice
    assert "lexical_only" not in codes(engine)
