"""Cuts a file that was changed at random so many times: `python -m tests.chunkers.mutilate`."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from tests.chunkers.laws import lawful_chunks

_MARKS = ["{", "}", "(", ")", "[", "]", '"', "'", "`", "\0", "\n", "/*", "*/", "--", "#", "<",
          "end", "begin", "$$", "@", "é🦜", ";", ":", "=", "\\", "\r\n", "<<EOF\n", "%{", "|",
          "\n=cut\n", "(*", "#|", "{-", '"""', "${", "R\"(", "\n__END__\n", "\ufeff"]  # fmt: skip


def mutilated(text: str, chance: random.Random) -> str:
    """The text with a few parts left out, repeated, or overwritten."""
    for _ in range(chance.randint(1, 12)):
        at, what = chance.randrange(len(text) + 1), chance.random()
        if what < 0.3:
            text = text[:at] + text[at + chance.randint(1, 40) :]
        elif what < 0.7:
            text = text[:at] + chance.choice(_MARKS) * chance.choice([1, 1, 3, 50]) + text[at:]
        elif what < 0.9:
            begin = chance.randrange(len(text) + 1)
            text = text[:at] + text[begin : begin + chance.randint(1, 80)] + text[at:]
        else:
            text = text[: at + chance.randint(0, 400)]
    return text


def main(path: Path, times: int) -> None:
    """Raises AssertionError where a law does not hold."""
    text, chance = path.read_text(encoding="utf-8"), random.Random(path.name)
    for _ in range(times):
        lawful_chunks(path.name, mutilated(text, chance))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
