"""How long an answer takes until its first word, and how much of that is not the model's.

The documentation of the ADK is indexed with the bundled model, and questions of its golden set are
asked in conversations of a user of whom fifty facts are remembered. The model is the contract
server in a process of its own on this machine, which answers at once: a request to it takes what
it takes to write the prompt, to send it and to read the first piece. `ours` is all but the two
requests: opening the conversation, the search, the memory. Times are medians; the embedding of the
question is part of the search.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bench.adk import require_docs
from bench.answering.refusals import adk_questions
from bench.frame import Options
from bench.product import release, settings_of, temporary_folder
from pincite.engine import AsyncPincite
from pincite.evals.analysis.statistics import median
from pincite.evals.report.tables import table
from pincite.model import Answer, AnswerPiece
from pincite.presets import PRESETS
from pincite.profile import Profile
from pincite.providers.provider_options import ProviderOptions
from pincite.support.fields import replace

_QUESTIONS: Final = 40
_FACTS: Final = 50
_FOLLOW_UP: Final = "and how is that tested?"
_WAIT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Medians in milliseconds, of so many answers. `rewrite` and `request` contain the stand-in for
    a model."""

    preset: str
    turn: str
    answers: int
    first_word: float
    rewrite: float
    request: float
    search: float
    memory: float
    ours: float


@dataclass(frozen=True, slots=True)
class FirstWordFigures:
    """By preset and turn."""

    chunks: int
    waits: tuple[Wait, ...]


async def run(options: Options) -> FirstWordFigures:
    """Measure the presets `general` and `chat`."""
    docs = require_docs(options)
    on_topic = [one.text for one in adk_questions(options) if one.topic == "on topic"]
    texts = on_topic[: 3 if options.quick else _QUESTIONS]
    waits: list[Wait] = []
    with temporary_folder() as folder:
        async with stand_in() as url:
            known = settings_of(folder / "index", options.models)
            provider = ProviderOptions(url=f"{url}/ollama", tries=1)
            use = replace(known.use, llm="ollama:stand-in", providers={"ollama": provider})
            known = replace(known, use=use)
            async with AsyncPincite(known) as engine:
                await engine.index([docs])
                for number in range(_FACTS):
                    await engine.remember("ann", f"Ann builds agent {number} with tools.")
                (one,) = (await engine.deps()).collections
                chunks = sum(each.chunks for each in await one.index.documents(one.spec.name))
                for name in ("general", "chat"):
                    waits += await _measured(engine, name, PRESETS[name], texts)
                await release(engine.client(), folder / "index")
    return FirstWordFigures(chunks, tuple(waits))


async def _measured(
    engine: AsyncPincite, name: str, profile: Profile, texts: Sequence[str]
) -> list[Wait]:
    taken: dict[str, list[tuple[float, dict[str, float]]]] = {"first": [], "follow-up": []}
    for text in texts:
        conversation = await engine.begin_conversation("ann")
        for turn, asked in (("first", text), ("follow-up", _FOLLOW_UP)):
            began_s = time.perf_counter()
            first_ms = 0.0
            async for event in engine.answer_stream(
                asked, user="ann", conversation=conversation, profile=profile
            ):
                if isinstance(event, AnswerPiece) and not first_ms:
                    first_ms = (time.perf_counter() - began_s) * 1000
                elif isinstance(event, Answer) and event.kind == "generated":
                    taken[turn].append((first_ms, dict(event.timings_ms)))
    found = [_wait(name, turn, each) for turn, each in taken.items() if each]
    for one in found:
        print(f"  {one}", flush=True)
    return found


def _wait(name: str, turn: str, taken: Sequence[tuple[float, dict[str, float]]]) -> Wait:
    def of(lap: str) -> float:
        return round(median([laps.get(lap, 0.0) for _, laps in taken]), 1)

    ours = [
        first - laps.get("first_piece", 0.0) - laps.get("condense", 0.0) for first, laps in taken
    ]
    return Wait(
        *(name, turn, len(taken), round(median([first for first, _ in taken]), 1)),
        *(of("condense"), of("first_piece"), of("search"), of("memory")),
        round(median(ours), 1),
    )


@asynccontextmanager
async def stand_in() -> AsyncIterator[str]:
    """The contract server in a process of its own, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "pincite.testing.contract_server", "--port", str(port)]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
    try:
        async with asyncio.timeout(_WAIT_S):
            while not _listens(port):  # noqa: ASYNC110 - another process begins to listen
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def first_word(raw: Any) -> str:
    """A row for each preset and turn."""
    figures = msgspec.convert(raw, FirstWordFigures)
    head = (
        *("preset", "turn", "answers", "first word, ms", "rewrite", "search", "memory"),
        *("request", "**ours**"),
    )
    rows = [
        (
            *(one.preset, one.turn, f"{one.answers}", f"{one.first_word:.0f}"),
            *(f"{value:.1f}" for value in (one.rewrite, one.search, one.memory, one.request)),
            f"{one.ours:.1f}",
        )
        for one in figures.waits
    ]
    return f"{table(head, rows)}\n\nOver {figures.chunks:,} chunks."
