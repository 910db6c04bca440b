"""Asks a reranker as often as it may within twenty seconds each: a program of its own, for tests.

    python -m tests.providers.core.asking URL RATES REQUESTS_PER_MINUTE TIMES

It prints a line for each request: `answered`, or the error's type and message.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pincite.errors import ProviderError
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.registry import Registry
from pincite.providers.secret import Secret
from pincite.support.concurrency import within


async def ask(url: str, rates: Path, per_minute: int, times: int) -> None:
    options = ProviderOptions(url=url, requests_per_minute=per_minute, tries=1)
    registry = Registry({"voyage": options}, lambda _: Secret("a-key"), rates=rates)
    model = await registry.open("rerank", "voyage:rerank-2.5")
    for _ in range(times):
        try:
            async with within(20.0):
                await model.rerank("a question", ["a text", "another"])
            said = "answered"
        except ProviderError as error:
            said = f"{type(error).__name__} {error.message}"
        sys.stdout.write(said + "\n")
        sys.stdout.flush()
    await model.close()


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
