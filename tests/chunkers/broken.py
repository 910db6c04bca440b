"""Code of many lines that no grammar parses."""

from __future__ import annotations

import random


def broken(line: str, size: int) -> str:
    """So many bytes of a line, with other names each time."""
    chance = random.Random(line)
    lines: list[str] = []
    while sum(map(len, lines)) < size:
        names = ("".join(chance.choices("abcdefghij", k=chance.randint(1, 8))) for _ in "ab")
        lines.append(line.format(*names) + "\n")
    return "".join(lines)
