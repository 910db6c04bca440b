"""Sweeps over chunking, by the real command on a small corpus, by word alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pincite.chunkers import ChunkerConfig
from pincite.errors import ConfigError
from pincite.evals.sweep.points import grid, parse_values
from pincite.evals.sweep.rechunk import moved, remembering
from pincite.ingestion.dense_model import Dense
from pincite.model import Matrix
from pincite.profile import Profile
from pincite.providers.dense.vector_cache import VectorCache
from pincite.settings.load import Settings
from pincite.stores.settings import StoreKind, StoreSettings
from pincite.testing.fakes import HashingEncoder
from tests.surfaces.conftest import Cli, cli

__all__ = ["cli"]

TOPICS = ("keys", "backups", "invoices", "limits", "regions", "tenants", "workers", "snapshots")
VARY = ("--vary", "chunking.target_tokens=24,200", "--vary", "select.results=1,5")
SWEEP = ("eval", "sweep", "golden.jsonl", "-o", "sweep", *VARY)


def paragraph(topic: str) -> str:
    return (
        f"The {topic} of an account are listed by its daemon. To change {topic}, stop what uses"
        f" them, write the new {topic} to the console and wait until the list shows them."
    )


@pytest.fixture
def indexed(cli: Cli) -> Cli:
    """One page of eight paragraphs, and questions that expect a paragraph by its lines."""
    cli.write("docs/guide.md", "# Guide\n\n" + "\n\n".join(map(paragraph, TOPICS)) + "\n")
    rows = [
        {
            "id": topic,
            "query": f"how do I change {topic} in the console",
            "expected": [{"path": "guide.md", "start_line": line, "end_line": line, "grade": 3}],
        }
        for line, topic in zip(range(3, 99, 2), TOPICS, strict=False)
    ]
    cli.write("golden.jsonl", "\n".join(map(json.dumps, rows)))
    cli("index", "docs", "--lexical")
    return cli


def test_chunkings_are_swept_and_what_is_indexed_stays(indexed: Cli) -> None:
    cli = indexed
    before = cli.json("collections")
    temporary = cli.folder / "temporary"
    temporary.mkdir()
    own = str(temporary)
    done = cli(*SWEEP, "--jobs", "1", "--json", TMPDIR=own)
    table = json.loads(done.stdout)
    assert done.stderr.count("indexing again") == 3  # 24, 200 and what is usual
    rows = {row["label"]: row for row in table["rows"]}
    assert len(rows) == 5
    small = rows["chunking.target_tokens=24 select.results=1"]
    large = rows["chunking.target_tokens=200 select.results=1"]
    assert small["tokens"] < large["tokens"] / 2
    assert small["tune"]["nDCG@10"] > 0.9  # found by their lines

    files = sorted((cli.folder / "sweep").glob("cells-*.jsonl"))
    assert len(files) == 3  # one for each chunking
    files[-1].write_bytes(b"".join(files[-1].read_bytes().splitlines(keepends=True)[:3]))
    resumed = cli(*SWEEP, "--jobs", "2", "--json", TMPDIR=own)
    assert resumed.stderr.count("indexing again") == 1  # the one that lacks something
    assert _timeless(json.loads(resumed.stdout)) == _timeless(table)
    again = cli(*SWEEP, "--json", TMPDIR=own)
    assert again.stdout == resumed.stdout
    assert "indexing again" not in again.stderr

    assert cli.json("collections") == before
    assert list(temporary.iterdir()) == []


def test_equal_texts_are_embedded_once(tmp_path: Path) -> None:
    asked: list[str] = []

    class Counting(HashingEncoder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            asked.extend(texts)
            return await super().embed_documents(texts)

    with closing(VectorCache(tmp_path / "vectors.db", 1_000_000)) as cache:
        for texts in (["one", "two"], ["two", "three", "one"]):
            encoder = remembering(Dense(Counting()), cache)
            assert encoder is not None
            plain = asyncio.run(HashingEncoder().embed_documents(texts))
            assert np.array_equal(asyncio.run(encoder.embed_documents(texts)), plain)
    assert asked == ["one", "two", "three"]


def _timeless(table: dict[str, object]) -> list[object]:
    rows = table["rows"]
    assert isinstance(rows, list)
    return [(row["label"], row["tune"], row["test"], row["tokens"]) for row in rows]


def test_what_cannot_be_swept_is_said(indexed: Cli) -> None:
    cli = indexed
    row = {"id": "q", "query": "keys", "expected": [{"candidate_id": "docs@1:guide.md:0f3c"}]}
    cli.write("ids.jsonl", json.dumps(row))
    refused = cli("eval", "sweep", "ids.jsonl", "-o", "other", *VARY, code=2).stderr
    assert "question 'q' expects the candidate docs@1:guide.md:0f3c" in refused
    assert "give path, start_line and end_line" in refused
    assert not (cli.folder / "other").exists()

    cli.write("docs/guide.md", "# Guide\n\nNothing is as it was.\n")
    changed = cli(*SWEEP, code=2).stderr
    assert "guide.md of collection 'main' differs from the indexed text" in changed
    assert "pincite index" in changed

    cli.write("tiny/corpus.jsonl", '{"_id": "d1", "title": "", "text": "rotate keys"}\n')
    cli.write("tiny/queries.jsonl", '{"_id": "1", "text": "rotating a key"}\n')
    cli.write("tiny/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td1\t1\n")
    cli("eval", "import", "tiny", "-o", "tiny.jsonl", "--corpus", "--lexical")
    sweep = ("eval", "sweep", "tiny.jsonl", "-o", "t", "-c", "tiny", "--tune", "1")
    whole = cli(*sweep, *VARY, code=2).stderr
    assert "collection 'tiny' has no sources that can be indexed again" in whole


@pytest.mark.parametrize(
    ("ours", "kept"),
    [
        (StoreSettings(), "edge"),
        (StoreSettings("sqlite"), "sqlite"),
        (StoreSettings("qdrant", "http://127.0.0.1:6333"), "edge"),
        (StoreSettings("chroma", "http://127.0.0.1:8000"), "edge"),
    ],
)
def test_a_server_is_never_written_to(tmp_path: Path, ours: StoreSettings, kept: StoreKind) -> None:
    away = moved(Settings(tmp_path / "ours", tmp_path, Profile(), store=ours), tmp_path / "away")
    assert (away.index, away.store) == (tmp_path / "away", StoreSettings(kept))


def test_points_have_the_chunker_that_they_name() -> None:
    found = grid(Profile(), parse_values(["chunking.target_tokens=64,300", "fuse.k=5,9"]))
    assert found.points[0].chunker == ChunkerConfig()
    assert [p.chunker.target_tokens for p in found.points if p.chunker] == [128, 64, 64]
    assert len({point.id for point in found.points}) == 3
    assert (
        "must lie between 16 and max_tokens=240"
        in found.refused["chunking.target_tokens=300 fuse.k=5"]
    )
    assert all(p.chunker is None for p in grid(Profile(), parse_values(["fuse.k=5"])).points)


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ("chunking.size=9", r"no field 'chunking\.size'; known fields: target_tokens"),
        ("chunking=9", r"'chunking' is a table; its fields: chunking\.target_tokens"),
        ("chunking.max_tokens=many", "chunking: Expected `int`, got `str`"),
    ],
)
def test_wrong_chunkings_are_named(vary: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        grid(Profile(), parse_values([vary]))
