"""Searches with their trace, for surfaces."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pincite.asking import SearchOptions
from pincite.model import EvidencePack
from pincite.support.fields import replace
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite


async def traced_search(
    engine: AsyncPincite, asked: SearchOptions, *, explained: bool = False, debug: bool = False
) -> tuple[EvidencePack, Trace]:
    """Return the pack of a search, and its trace. `explained`: trace every step. `debug`: also add
    requests to services and their answers to the pack. Raises the errors of
    `AsyncPincite.search`."""
    trace = Trace(time.perf_counter, detailed=explained or debug)
    pack = await engine.find(asked, trace=trace)
    return (replace(pack, debug=trace.debug()) if debug else pack), trace
