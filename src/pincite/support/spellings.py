"""Other spellings of a word."""

from __future__ import annotations


def one_edit(word: str, letters: str) -> set[str]:
    """Return all words that are one edit away: one of the `letters` more or in place of another,
    a letter less, or two neighbours that change places. The first letter stays. For n characters
    and k letters, these are fewer than (n + 1) * (2 k + 2)."""
    found: set[str] = set()
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        found.update(f"{before}{letter}{after}" for letter in letters)
        if after:
            found.update(f"{before}{letter}{after[1:]}" for letter in letters)
            found |= {f"{before}{after[1:]}", f"{before}{after[1:2]}{after[0]}{after[2:]}"}
    return found - {word}
