"""Three small repositories, indexed as they are: ranking of code never falls without a word."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions
from pincite.model import EvidencePack
from pincite.settings.load import load_settings
from tests.search.repositories import QUESTIONS, REPOSITORIES

_FLOOR = 0.9


def answers(folder: Path, name: str) -> list[EvidencePack]:
    root = folder / name
    for path, text in REPOSITORIES[name].items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")

    async def run() -> list[EvidencePack]:
        settings = load_settings({}, folder, folder / f"{name}-index" / ".pincite")
        async with AsyncPincite(settings) as engine:
            await engine.index([root], options=IndexOptions(lexical=True, name=name))
            found = [await engine.search(question) for question, _ in QUESTIONS[name]]
            await engine.stop()
        return found

    return asyncio.run(run())


@pytest.mark.parametrize("name", REPOSITORIES)
def test_the_file_that_answers_comes_first_and_a_symbol_where_it_is_defined(
    tmp_path: Path, name: str
) -> None:
    gains = []
    for (question, path), pack in zip(QUESTIONS[name], answers(tmp_path, name), strict=True):
        files = list(dict.fromkeys(item.path for item in pack.evidence))
        gains.append(1 / math.log2(files.index(path) + 2) if path in files else 0.0)
        if " " not in question:
            assert question in pack.evidence[0].symbols
            assert pack.verdict.level != "none"
    assert sum(gains) / len(gains) >= _FLOOR, gains
