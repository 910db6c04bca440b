"""`python -m bench.report [RESULTS [PAGE]]`: write the tables of `docs/benchmarks.md`.

Each table is between two markers. The prose around the markers stays unchanged. A subject that was
skipped has the reason in place of its tables.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.frame import RESULTS, ROOT, Entry, load_results
from bench.tables import TABLES

_WIDTH: Final = 120
_MARKUP: Final = re.compile(r" *(?:[-+*>|]|#+|\d+[.)])(?: |$)")
MARKERS: Final = ("<!-- begin {} -->", "<!-- end {} -->")


def render(name: str, entry: Entry) -> str:
    """The tables of one subject, and the machine that they were measured on."""
    if entry.skipped:
        return f"Not measured: {entry.skipped}"
    return wrapped(f"{TABLES[name](entry.figures)}\n\n{_taken(entry)}")


def wrapped(text: str) -> str:
    """The lines of prose at the width of a page. Rows of tables keep their line, and so does a
    line whose next one would begin like an item, a heading or a row."""
    return "\n".join(map(_wrapped, text.split("\n")))


def _wrapped(line: str) -> str:
    if line.startswith("|"):
        return line
    indent = "  " if line.startswith("- ") else ""
    lines = textwrap.wrap(
        line,
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return line if any(map(_MARKUP.match, lines[1:])) else "\n".join(lines)


def _taken(entry: Entry) -> str:
    machine = entry.machine
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    where = f"{machine.cores} cores ({machine.cpu}), {machine.memory_gb:.0f} GB, {machine.system}"
    quick = " **Quick run: subsets, not comparable.**" if entry.quick else ""
    return (
        f"Measured {entry.date} with Pincite {entry.pincite} at {entry.commit} on {where}, Python"
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
