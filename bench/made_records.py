"""Records of made-up words with Zipf's frequencies, each a function of its number, so that any of
them can be made again and compared with what was found. For speed and exactness only.

Of every record two words are its own: `key`, which stays, and `mark`, which its text of one version
alone has. What happens to it is a function of its number, too: see `Work`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import shake_128
from itertools import accumulate
from typing import Any, Final

WORDS: Final = 40  #: words of a record, without its own
TENANTS: Final = 100
_VOCABULARY = 50_000
_CONSONANTS = "bcdfghjklmnpqrtvwxz"  # no stemmer takes an ending off these
_GONE_TENANT = "t42"


@dataclass(frozen=True, slots=True)
class Work:
    """What is done to `total` records of one `seed`: of each hundred in number / 100 one gets a new
    text, one other attributes, one is deleted by its id; and all of one tenant by a filter."""

    total: int
    seed: int = 0
    gone_where: str = f"tenant = '{_GONE_TENANT}'"

    def numbers(self, kind: str) -> list[int]:
        """The records that a phase is about, in its order."""
        if kind in ("load", "same"):
            return list(range(self.total))
        return [n for n in range(self.total) if self.has(kind, n)]

    def has(self, kind: str, number: int) -> bool:
        """Is a phase about this record?"""
        turn = number // 100 % 100
        match kind:
            case "update":
                return turn == 7
            case "attributes":
                return turn == 13
            case "delete ids":
                return turn == 21
            case "delete where":
                return number % TENANTS == int(_GONE_TENANT[1:])
        return True

    def record(self, number: int, *, new_text: bool = False, moved: bool = False) -> dict[str, Any]:
        """A record as it is handed over, perhaps with the new text, or with other attributes."""
        raw = shake_128(f"{self.seed} {number} {new_text}".encode()).digest(2 * WORDS)
        words = _words()
        said = [words[raw[i] << 8 | raw[i + 1]] for i in range(0, 2 * WORDS, 2)]
        said[3:3] = [key(number)]
        said[20:20] = [mark(number, new_text=new_text)]
        return {"id": str(number), "text": " ".join(said), "attributes": self.given(number, moved)}

    def given(self, number: int, moved: bool = False) -> dict[str, Any]:
        """The attributes of a record."""
        year = 1990 + number // TENANTS % 35
        held: dict[str, Any] = {
            "tenant": f"t{number % TENANTS:02}",
            "year": year,
            "grade": number % 1_000 / 8,
            "visible": number % 3 > 0,
            "due": f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}",
            "labels": [f"a{number % 7}", f"b{number % 11}"],
        }
        return {**held, "year": year + 100, "visible": not held["visible"]} if moved else held

    def given_records(self, kind: str) -> Iterator[dict[str, Any]]:
        """The records of a phase as they are handed over."""
        for number in self.numbers(kind):
            yield self.record(number, new_text=kind == "update", moved=kind == "attributes")

    def at_last(self, number: int) -> dict[str, Any] | None:
        """What is there of a record when all is done; None if it is deleted."""
        if self.has("delete ids", number) or self.has("delete where", number):
            return None
        new_text, moved = self.has("update", number), self.has("attributes", number)
        return self.record(number, new_text=new_text, moved=moved)


def key(number: int) -> str:
    """The word of a record that stays."""
    return f"qk{_letters(number)}"


def mark(number: int, *, new_text: bool = False) -> str:
    """The word of one version of it."""
    return f"{'zn' if new_text else 'zm'}{_letters(number)}"


def _letters(number: int) -> str:
    said = ""
    for _ in range(6):
        number, digit = divmod(number, len(_CONSONANTS))
        said += _CONSONANTS[digit]
    return said


@cache
def _words() -> list[str]:
    """65,536 words, each as often as Mandelbrot's form of Zipf's law has it."""
    sums = list(accumulate(1 / (rank + 2.7) for rank in range(1, _VOCABULARY + 1)))
    ranks = (bisect_left(sums, (slot + 0.5) / 65_536 * sums[-1]) for slot in range(65_536))
    return [made_word(rank) for rank in ranks]


def made_word(number: int) -> str:
    """A pronounceable word of at least three syllables, another one for every number."""
    word = ""
    for _ in range(3):
        number, consonant = divmod(number, 17)
        number, vowel = divmod(number, 5)
        word += "bcdfghjklmnprstvz"[consonant] + "aeiou"[vowel]
    return word + "aeiou"[number % 5] * (number > 0)
