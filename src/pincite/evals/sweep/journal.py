"""The journal of a sweep: a folder with one line per finished question.

Every process has its own file, and writes each line at once. An incomplete line is ignored, and its
question is searched again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from pincite.errors import UsageError
from pincite.evals.golden.questions import write_whole
from pincite.evals.run.results import Stamp
from pincite.evals.sweep.cells import Cell, Line
from pincite.support.decodable import ready
from pincite.support.time_limits import decode_settings

_PLAN = "sweep.json"


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The measures of a sweep and its subject. They are equal for every run that continues it."""

    stamp: Stamp
    measures: tuple[str, ...]


class Journal:
    """The folder of a sweep. Raises UsageError if it belongs to another one."""

    def __init__(self, folder: Path, plan: SweepPlan) -> None:
        self._folder = folder
        place = folder / _PLAN
        if place.exists():
            try:
                known = decode_settings(place.read_bytes(), SweepPlan)
            except msgspec.DecodeError as error:
                raise UsageError(f"{place} is not the plan of a sweep: {error}") from error
            if _identity(known) != _identity(plan):
                raise UsageError(
                    f"{folder} has a sweep over another golden set, index or list of measures, or"
                    " within other tags",
                    hint="choose another folder with -o",
                )
        elif folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty, and it does not have a sweep")
        else:
            write_whole(place, msgspec.json.format(msgspec.json.encode(plan)).decode() + "\n")

    def read(self) -> dict[str, dict[str, Cell]]:
        """Return all cells by point, then question."""
        cells: dict[str, dict[str, Cell]] = {}
        for file in sorted(self._folder.glob("cells-*.jsonl")):
            for raw in file.read_bytes().split(b"\n"):
                try:
                    line = msgspec.json.decode(raw, type=ready(Line))
                except msgspec.DecodeError:
                    continue  # cut off: it will be done again
                for point, cell in line.cells.items():
                    cells.setdefault(point, {})[line.query] = cell
        return cells

    def lines(self) -> int:
        """Return the number of complete lines."""
        return sum(file.read_bytes().count(b"\n") for file in self._folder.glob("cells-*.jsonl"))

    def new_file(self) -> Path:
        """Create a file that no other process writes to, and return its path."""
        taken = [int(file.stem.partition("-")[2]) for file in self._folder.glob("cells-*.jsonl")]
        place = self._folder / f"cells-{max(taken, default=0) + 1:04}.jsonl"
        place.touch(exist_ok=False)
        return place


def write_line(file: BinaryIO, line: Line) -> None:
    """Write one line, and flush it to the operating system."""
    file.write(msgspec.json.encode(line) + b"\n")
    file.flush()


def _identity(plan: SweepPlan) -> tuple[object, ...]:
    stamp = plan.stamp
    contents = sorted((one.name, one.contents) for one in stamp.collections)
    return plan.measures, stamp.golden_fingerprint, contents, stamp.reranker, stamp.searched
