"""Count or estimate the tokens of a text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import ConfigError
from pincite.ports import CutTokens
from pincite.support.valid_text import valid_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CountTokens = Callable[[str], int]

# Prose has 4 to 5 characters a token, code and mixed text 3 to 4. The smaller number is used
# because a refused request costs more than a request that is not full. Beyond ASCII, CJK has 1 to
# 1.5 tokens a character (3 bytes), Cyrillic up to 1 (2 bytes).
CHARS_PER_TOKEN = 3
_BYTES_PER_TOKEN = 2
_LONGEST_TOKEN = 100  # characters; of longer runs of white space or dashes, less is kept


def estimate_tokens(text: str) -> int:
    """Return an estimate that errs on the high side: ceil(ASCII characters / 3 + other bytes /
    2)."""
    if text.isascii():
        return ceil(len(text) / CHARS_PER_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    other = len(text.encode("utf-8", "surrogatepass")) - plain
    return ceil(plain / CHARS_PER_TOKEN + other / _BYTES_PER_TOKEN)


def tokenizer_counter(path: Path) -> CountTokens:
    """Return a counter that uses a `tokenizer.json`. Raises ConfigError if it cannot be read."""
    tokenizer = _opened(path)
    return lambda text: len(tokenizer.encode(valid_text(text)).ids)


def tokenizer_cutter(path: Path) -> CutTokens:
    """Return a function that cuts a text to its first tokens with a `tokenizer.json`. Raises
    ConfigError if it cannot be read."""
    tokenizer = _opened(path)

    def cut(text: str, most: int) -> str:
        kept = text[: most * _LONGEST_TOKEN]
        plain = valid_text(kept)  # as long as it was
        while True:
            begins = [
                start for start, _ in tokenizer.encode(plain, add_special_tokens=False).offsets
            ]
            if len(begins) <= most:
                return text if len(plain) == len(text) else text[: len(plain)].rstrip()
            plain = plain[: begins[most]]

    return cut


@cache
def _opened(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path.expanduser()))
    except Exception as error:  # the library raises bare Exceptions
        raise ConfigError(
            f"{path} is not a tokenizer: {error}", hint="name a tokenizer.json"
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
