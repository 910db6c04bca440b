"""Combine the progress of the sources of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pincite.ingestion.report import Progress
from pincite.support.fields import replace


class Counted:
    """Adds up the progress of the sources that a run indexes one after the other. `pending` has the
    expected number of files of each source; the progress of a source has the exact one."""

    def __init__(self, pending: Mapping[int, int], progress: Callable[[Progress], None]) -> None:
        self._latest = {source: Progress("", 0, total) for source, total in pending.items()}
        self._progress = progress

    def source(self, number: int) -> Callable[[Progress], None]:
        """Return the callback for the progress of one source. Stages other than `index` and `embed`
        are passed on unchanged."""

        def told(one: Progress) -> None:
            if one.stage not in ("index", "embed"):
                self._progress(one)
                return
            self._latest[number] = one
            sources = self._latest.values()
            total = sum(each.total for each in sources)
            done = sum(each.done for each in sources)
            chunks = sum(each.chunks for each in sources)
            if total:
                self._progress(replace(one, done=done, total=total, chunks=chunks))

        return told
