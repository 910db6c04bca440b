"""What users of other tools complain about, each as a test that it does not happen here.

The numbers are those of the list that this project started from: 1, 5 and 7 are here; others are
tested where they belong.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions
from pincite.model import EvidencePack, Scope, Vector
from pincite.ports import Store
from pincite.presets import PRESETS
from pincite.profile import Profile
from pincite.stages.fuse import FuseConfig, FuseMethod
from pincite.stages.select import SelectConfig
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.sqlite.store import SqliteStore
from pincite.support.fields import replace
from tests.daemon import together_client
from tests.quick_folder import quick_folder
from tests.small_search import TEXTS, TopicEncoder, ask, make
from tests.surfaces.conftest import Cli


def paths(pack: EvidencePack) -> list[str]:
    return [one.path for one in pack.evidence]


# 1: searching several collections gives the wrong mix


@pytest.mark.parametrize(
    "open_store",
    [
        lambda _: MemoryStore(),
        lambda folder: EdgeStore(folder / "collections"),
        lambda folder: SqliteStore(folder / "points.db"),
    ],
    ids=["memory", "edge", "sqlite"],
)
@pytest.mark.parametrize("preset", PRESETS)
def test_1_a_filter_is_applied_before_the_best_are_taken_and_never_falsely_empty(
    preset: str, open_store: Callable[[Path], Store]
) -> None:
    crowd = {f"crowd/{n}": f"rotate the key with a new secret, says page {n}" for n in range(150)}
    rare = {"rare/one": "a key is mentioned here"}
    profile = PRESETS[preset]
    wide = replace(
        profile,
        retrieve=replace(profile.retrieve, dense_limit=5, sparse_limit=5),
        select=replace(profile.select, on_none="keep", need_url=False),
    )
    with quick_folder() as folder:
        store = open_store(folder)
        big = asyncio.run(make(TopicEncoder(), crowd | rare, store=store))
        other = asyncio.run(make(TopicEncoder(), TEXTS, "other"))
        question = "how do I rotate a key with a new secret"
        first = ask(question, big, other, profile=wide)
        assert "rare/one" not in paths(first)  # it is far from the best of all
        for scope in (
            Scope(paths=("rare/*",)),
            Scope(not_paths=("crowd/*", *TEXTS)),
            Scope(where="path = 'rare/one'"),
        ):
            found = ask(question, big, other, profile=wide, scope=scope)
            assert paths(found) == ["rare/one"], scope
        asyncio.run(store.close())


class Confident(TopicEncoder):
    """A model whose cosines are all close to 1, as those of some models are."""

    async def embed_query(self, text: str) -> Vector:
        vector = await TopicEncoder.embed_query(self, text)
        vector[-1] = 3.0
        return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("method", ["weighted_sum", "weighted_dbsf", "rrf", "dbsf"])
@pytest.mark.parametrize("words", ["with the help of words", "by meaning alone"])
def test_1_raw_scores_of_different_models_are_never_merged(words: str, method: FuseMethod) -> None:
    """What answers is in the collection of the modest model. The best of each model may count
    alike; the noise of the confident one, whose cosines are all higher, may not come first."""
    noise = {f"noise{n}": f"a month {'invoice ' * (n % 6)} number {n}" for n in range(30)}
    modest = asyncio.run(make(TopicEncoder(), noise | {"keys": TEXTS["keys"]}, "modest"))
    confident = asyncio.run(
        make(Confident("confident/1"), {f"x{k}": v for k, v in noise.items()}, "confident")
    )
    share = 1.0 if words == "by meaning alone" else 0.5
    profile = Profile(
        fuse=FuseConfig(method=method, dense_weight=share),
        select=SelectConfig(results=12, on_none="keep"),
    )
    for order in ((modest, confident), (confident, modest)):
        pack = ask("which secret must be new", *order, profile=profile)
        raw = {
            (e.collection, e.path): signal.value
            for e in pack.evidence
            for signal in e.signals
            if signal.name == "dense"
        }
        louder = [key for key in raw if key[0] == "confident" and raw[key] > raw["modest", "keys"]]
        assert len(louder) > 3
        assert "keys" in paths(pack)[: 1 if share < 1 else 2]


@dataclass(frozen=True)
class Source:
    """A folder of files."""

    folder: Path

    def write(self, path: str, text: str) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / path).write_text(text)


# 5: deleted and edited files are still served


def test_5_deleted_and_edited_files_are_never_served() -> None:
    async def check(folder: Path) -> None:
        source = Source(folder / "source")
        source.write("a.md", "# A\n\nThe turnstile is green.")
        source.write("b.md", "# B\n\nThe turnstile is locked at night.")
        source.write("c.md", "# C\n\nThe turnstile is old.")
        async with AsyncPincite(together_client.settings_of(folder / "index")) as pincite:
            options = IndexOptions(lexical=True)
            await pincite.index([source.folder], options=options)
            stale = await pincite.search("turnstile")
            assert sorted(paths(stale)) == ["a.md", "b.md", "c.md"]
            source.write("a.md", "# A\n\nThe turnstile is red.")
            (source.folder / "b.md").unlink()
            (source.folder / "c.md").rename(source.folder / "d.md")
            checked = zip(stale.evidence, await pincite.verify(stale), strict=True)
            assert {one.path: said.status for one, said in checked} == {
                "a.md": "changed",
                "b.md": "deleted",
                "c.md": "moved",
            }
            await pincite.index([source.folder], options=options)
            for question in ("turnstile", "is the turnstile green", "locked at night"):
                found = await pincite.search(question)
                assert "b.md" not in paths(found)
                assert "c.md" not in paths(found)
                texts = "\n".join(one.text for one in found.evidence)
                assert "green" not in texts
                assert "locked" not in texts
            assert sorted(paths(await pincite.search("turnstile"))) == ["a.md", "d.md"]
            await pincite.stop()

    with quick_folder() as folder:
        asyncio.run(check(folder))


# 7: "already accessed by another instance"


def test_7_a_second_and_a_third_process_open_an_index_while_the_first_indexes() -> None:
    processes = multiprocessing.get_context("forkserver")
    with quick_folder() as folder:
        source, root, journal = folder / "source", folder / "index", folder / "journal"
        source.mkdir()
        arguments = (source, root, journal, range(1, 100_000))
        first = processes.Process(target=together_client.index_versions, args=arguments)
        first.start()
        try:
            while not any(e.what == "indexed" for e in together_client.read_journal(journal)):
                assert first.is_alive()
            command = [sys.executable, "-m", "pincite.surfaces.cli.app"]
            others = [
                subprocess.Popen(
                    [*command, *what, "--json", "--index", str(root)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for what in (["search", "walnut"], ["search", "osprey"], ["status"])
            ]
            answers = [other.communicate(timeout=600) for other in others]
            assert first.is_alive()
        finally:
            first.kill()
            first.join()
            subprocess.run([*command, "stop", "--index", str(root)], check=True, timeout=600)
        *searches, status = [other.returncode for other in others]
        assert status == 0, answers
        for code, (output, _) in zip(searches, answers, strict=False):
            # the writer is ahead of the index: what is gone from its files is named, not shown
            assert code == 0 or (code == 3 and '"why": "stale"' in output), answers
        for (output, _), word in zip(answers, ("walnut", "osprey", "main"), strict=True):
            assert word in output
        assert "Traceback" not in "".join(errors for _, errors in answers)


def test_a_hint_is_a_command_that_works_and_a_source_that_is_unknown_is_named(cli: Cli) -> None:
    assert "pincite memory list --user a" in cli("memory", "forget", "--user", "a", code=2).stderr
    assert "no index exists" in cli("ui", "--port", "0", code=1).stderr
    cli.write("x/a.md", "# Key\n")
    cli("index", "x", "--lexical", "--name", "acme", PINCITE_THREADS="", PINCITE_IDLE_S="")
    said = cli("describe", "nope:docs", "words", code=2).stderr
    assert "no source is named 'nope'; known sources: acme" in said
    cli("stop")
