"""`python -m bench.report [RESULTS [PAGE]]`: write the tables of `docs/benchmarks.md`.

Each table stands between two markers; everything around them is prose and stays. Subjects that
were skipped keep the reason in place of their tables.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.frame import RESULTS, ROOT, Entry, load_results
from bench.tables import TABLES

MARKERS: Final = ("<!-- begin {} -->", "<!-- end {} -->")


def render(name: str, entry: Entry) -> str:
    """The tables of one subject, and what they were taken on."""
    if entry.skipped:
        return f"Not measured: {entry.skipped}"
    return f"{TABLES[name](entry.figures)}\n\n{_taken(entry)}"


def _taken(entry: Entry) -> str:
    machine = entry.machine
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    where = f"{machine.cores} cores ({machine.cpu}), {machine.memory_gb:.0f} GB, {machine.system}"
    quick = " **Quick run: subsets, no meaning.**" if entry.quick else ""
    return (
        f"Taken {entry.date} with Pincite {entry.pincite} at {entry.commit} on {where}, Python"
        f" {machine.python}; {packages}; load {entry.load} at the end; {entry.duration_s:.0f} s."
        f"{quick}"
    )


def fill(page: str, tables: Mapping[str, str]) -> str:
    """The page with these tables between their markers. Raises ValueError without markers."""
    for name, table in tables.items():
        begin, end = (marker.format(name) for marker in MARKERS)
        before, found, rest = page.partition(f"{begin}\n")
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise ValueError(f"the page has no lines {begin} and {end} for {name!r}")
        page = f"{before}{begin}\n\n{table}\n\n{end}{after}"
    return page


def main(arguments: list[str]) -> None:
    """Read the results, rewrite the page."""
    results = Path(arguments[0]) if arguments else RESULTS / "latest.json"
    page = Path(arguments[1]) if len(arguments) > 1 else ROOT / "docs" / "benchmarks.md"
    tables = {name: render(name, entry) for name, entry in load_results(results).subjects.items()}
    page.write_text(fill(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    print(f"{page}: {', '.join(tables) or 'nothing'}")


if __name__ == "__main__":
    main(sys.argv[1:])
