"""Lines that include another file: the included content is indexed, and the lines are cited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.chunkers.budget import cumulative_cost, estimate_word_pieces
from pincite.chunkers.lines import Lines
from pincite.support.fields import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pincite.model import Section

# of the content that one line includes; dense encoders read a quarter of it  # guess, unmeasured
_SHOWN_CHARS = 4_000


def lines_with(text: str, inclusions: Mapping[int, str], most_tokens: int) -> Lines:
    """Return lines with the cost of their included content. It counts up to `most_tokens` for each
    line, so that no line is cut because of it."""
    if not inclusions:
        return Lines(text)
    bare = Lines(text)
    cost = cumulative_cost(text)
    for line, shown in inclusions.items():
        more = min(estimate_word_pieces(shown[:_SHOWN_CHARS]), most_tokens) - bare.cost(
            line, line + 1
        )
        if more > 0:
            cost[bare.end_of(line) :] += more
    return Lines(text, cost)


def with_inclusions(
    sections: Iterable[Section], lines: Lines, inclusions: Mapping[int, str]
) -> Iterator[Section]:
    """Yield the sections. `plain` has the included content instead of the lines that include it."""
    shown = sorted(inclusions)
    for section in sections:
        first, last = lines.line_at(section.start), lines.line_at(section.end - 1)
        inside = [line for line in shown if first <= line <= last]
        if not inside:
            yield section
            continue
        parts: list[str] = []
        position = section.start
        for line in inside:
            low, high = max(lines.starts[line], section.start), min(lines.end_of(line), section.end)
            parts += (lines.text[position:low], inclusions[line][:_SHOWN_CHARS])
            position = high
        parts.append(lines.text[position : section.end])
        yield replace(section, plain="".join(parts))
