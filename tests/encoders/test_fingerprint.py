"""An index made by other means is refused, with the command that fixes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.encoders.fingerprint import require_fingerprint
from pincite.errors import FingerprintMismatch
from pincite.ingestion.sources.revisions import revision_of
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.fields import replace
from tests.surfaces.conftest import Cli


def test_a_mismatch_names_both_sides_and_the_cure() -> None:
    with pytest.raises(FingerprintMismatch) as caught:
        require_fingerprint("main", "analyser", "bm25/0/english", "bm25/1/english")
    assert "bm25/0/english" in str(caught.value)
    assert "pincite collections rebuild main" in str(caught.value)


def test_language_and_parameters_are_part_of_the_fingerprint() -> None:
    prints = {
        Bm25Encoder("english").fingerprint,
        Bm25Encoder("german").fingerprint,
        Bm25Encoder("english", k1=2.0).fingerprint,
        Bm25Encoder("english", b=0.1).fingerprint,
    }
    assert len(prints) == 4


def test_another_chunk_size_is_another_revision() -> None:
    config = ChunkerConfig()
    other = replace(config, target_tokens=config.target_tokens - 1)
    assert config.fingerprint != other.fingerprint
    assert revision_of("s", "p", "h", config.fingerprint) != revision_of(
        "s", "p", "h", other.fingerprint
    )


def test_an_index_stemmed_in_another_language_is_not_mixed(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    cli.write("a.md", "# Ein Walroß\n\nDas Walroß schläft.\n")
    cli("index", ".", "--lexical", "--language", "german")
    done = cli("index", ".", "--language", "english", code=2)
    assert "pincite collections rebuild main --language english" in done.stderr
    cli("stop")
