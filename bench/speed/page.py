"""How long people wait for `pincite ui`: the first paint, the first result, a document.

The documentation of the ADK is indexed with the bundled model. The real command serves it, and
Chromium opens it with nothing cached. Questions are typed and pasted. The clock starts at the last
key and stops after the frame that has the first result. A typed question waits for a pause of the
keys, which is part of it. The request alone is taken, too.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from playwright.async_api import Page, async_playwright

from bench.adk import require_docs
from bench.answering.refusals import adk_questions
from bench.frame import Options, SkippedError
from bench.product import release, settings_of, temporary_folder
from pincite.engine import AsyncPincite
from pincite.evals.analysis.statistics import median
from pincite.evals.report.tables import table

_QUESTIONS: Final = 40
_LOADS: Final = 5
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SHIFTS: Final = """window.shifts = 0;
new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  if (!one.hadRecentInput) window.shifts += one.value;
})).observe({ type: "layout-shift", buffered: true });"""
#: The clock runs from the event of the browser to the frame that has what is waited for.
_WATCH: Final = """([event, found]) => {
  let began = 0;
  addEventListener(event, () => { began = performance.now(); }, { capture: true, once: true });
  window.painted = new Promise((done) => {
    const look = () => (began && document.querySelector(found)
      ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0))
      : requestAnimationFrame(look));
    look();
  });
}"""
_WRITE: Final = "(text) => { document.getElementById('question').value = text; }"
_BYTES: Final = """() => [...performance.getEntriesByType("navigation"),
  ...performance.getEntriesByType("resource")].reduce((sum, one) => sum + one.transferSize, 0)"""
_FIRST: Final = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"
_REQUESTS: Final = """() => performance.getEntriesByType("resource")
  .filter((one) => one.name.endsWith("/api/ask")).map((one) => one.duration)"""


@dataclass(frozen=True, slots=True)
class Waits:
    """Milliseconds of so many: the median, and the slowest of twenty."""

    of: str
    count: int
    median_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class PageFigures:
    """`bytes_sent`: all files of the page and its first request, uncompressed. `shift`: the
    cumulative layout shift of all questions and documents."""

    chunks: int
    waits: tuple[Waits, ...]
    bytes_sent: int
    shift: float


async def run(options: Options) -> PageFigures:
    """Measure the page in the Chromium of this machine."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise SkippedError("there is no Chromium on this machine")
    docs = require_docs(options)
    texts = [one.text for one in adk_questions(options) if one.topic == "on topic"]
    with temporary_folder() as folder:
        async with AsyncPincite(settings_of(folder / "index", options.models)) as engine:
            await engine.index([docs], lexical=options.quick)
            (one,) = (await engine.deps()).collections
            chunks = sum(each.chunks for each in await one.index.documents(one.spec.name))
            async with _served(folder / "index", options.models) as address:
                found = await _looked(
                    browser, address, texts[: 3 if options.quick else _QUESTIONS], chunks
                )
            await release(engine.client(), folder / "index")
    return found


async def _looked(browser: str, address: str, texts: Sequence[str], chunks: int) -> PageFigures:
    first: list[float] = []
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for _ in range(_LOADS):  # nothing is cached in a new context
            context = await started.new_context(viewport={"width": 1280, "height": 800})
            page = await context.new_page()
            await page.add_init_script(_SHIFTS)
            await page.goto(address, wait_until="networkidle")
            first.append(float(await page.evaluate(_FIRST)))
            sent = int(await page.evaluate(_BYTES))
            if len(first) < _LOADS:
                await context.close()
        typed, pasted, opened = await _asked(page, texts)
        requests = [float(one) for one in await page.evaluate(_REQUESTS)]
        shift = float(await page.evaluate("window.shifts"))
        await started.close()
    waits = (
        _waits("first paint of the empty page", first),
        _waits("first result, from the last key on", typed),
        _waits("first result of a pasted question", pasted),
        _waits("of that: the request", requests),
        _waits("a document, from the click on", opened),
    )
    return PageFigures(chunks, waits, sent, round(shift, 4))


async def _asked(page: Page, texts: Sequence[str]) -> tuple[list[float], list[float], list[float]]:
    typed, pasted, opened = list[float](), list[float](), list[float]()
    for number, text in enumerate([texts[-1], *texts]):
        for taken in (typed, pasted):
            await page.locator("#question").focus()
            await page.keyboard.press("Control+A")
            await page.keyboard.press("Delete")
            await page.locator(".result").first.wait_for(state="detached")
            await page.evaluate(_WATCH, ["input", ".result"])
            if taken is typed:  # all but the last key is there already, without any event
                await page.evaluate(_WRITE, text[:-1])
            await page.keyboard.insert_text(text[-1] if taken is typed else text)
            took = float(await page.evaluate("window.painted"))
            if number:  # the first starts what is started once: the model, the process of colours
                taken.append(took)
        await page.evaluate(_WATCH, ["click", "#source .cited"])
        await page.locator(".place").first.click()
        seen = float(await page.evaluate("window.painted"))
        await page.keyboard.press("Escape")
        if number:
            opened.append(seen)
    return typed, pasted, opened


def _waits(of: str, taken: Sequence[float]) -> Waits:
    slow = sorted(taken)[min(len(taken) - 1, int(len(taken) * 0.95))]
    return Waits(of, len(taken), round(median(list(taken)), 1), round(slow, 1))


@asynccontextmanager
async def _served(index: Path, models: Path) -> AsyncIterator[str]:
    """`pincite ui` of that index in a process of its own, and its address with the token."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pincite.surfaces.cli.app", "ui", "--port", "0"),
        *("--index", str(index)),
        env={**os.environ, "PINCITE_MODELS": str(models)},
        cwd=index.parent,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        said = (await process.stderr.readline()).decode()
        found = re.search(r"http://\S+", said)
        if found is None:
            raise RuntimeError(f"pincite ui says: {said}")
        yield found[0]
    finally:
        process.terminate()
        await process.wait()


def page(raw: Any) -> str:
    """A row for each wait."""
    figures = msgspec.convert(raw, PageFigures)
    rows = [
        (one.of, f"{one.count}", f"{one.median_ms:.0f}", f"{one.p95_ms:.0f}")
        for one in figures.waits
    ]
    said = (
        f"Over {figures.chunks:,} chunks. The page is {figures.bytes_sent:,} bytes, uncompressed."
        f" Total layout shift: {figures.shift:.4f}."
    )
    return f"{table(('wait', 'times', 'median, ms', 'p95, ms'), rows)}\n\n{said}"
