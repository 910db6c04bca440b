"""Output that pages show, held against what was printed."""

from __future__ import annotations

import doctest


def missing(shown: list[str], printed: str) -> list[str]:
    """The shown lines that were not printed in this order; `...` stands for anything."""
    rest = iter(printed.splitlines())
    same = doctest.OutputChecker().check_output
    return [
        line
        for line in shown
        if not any(same(f"{line}\n", f"{one}\n", doctest.ELLIPSIS) for one in rest)
    ]
