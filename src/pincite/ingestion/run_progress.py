"""Progress of a run over several sources as one count."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pincite.ingestion.report import Progress
from pincite.support.fields import replace


class Counted:
    """Adds up the files of all sources that a run indexes one after the other. `pending` are the
    numbers of their files, as far as they are known before; a source that begins has the exact
    one."""

    def __init__(self, pending: Mapping[int, int], progress: Callable[[Progress], None]) -> None:
        self._latest = {source: Progress("", 0, total) for source, total in pending.items()}
        self._progress = progress

    def source(self, number: int) -> Callable[[Progress], None]:
        """Return what is called with the progress of one source. Stages that count something else
        than its files are passed on."""

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
