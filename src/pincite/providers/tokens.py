"""How many tokens a text has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil
from pathlib import Path

from pincite.errors import ConfigError

CountTokens = Callable[[str], int]

# Prose has 4 to 5 characters a token, code and mixed text 3 to 4; budgets are kept with the
# smaller, for a request that is refused costs more than one that is not full. Beyond ASCII,
# CJK has 1 to 1.5 tokens a character (3 bytes), Cyrillic up to 1 (2 bytes).
CHARS_PER_TOKEN = 3
_BYTES_PER_TOKEN = 2


def estimate_tokens(text: str) -> int:
    """An estimate that errs on the high side: ceil(ASCII characters / 3 + other bytes / 2)."""
    if text.isascii():
        return ceil(len(text) / CHARS_PER_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    other = len(text.encode("utf-8", "surrogatepass")) - plain
    return ceil(plain / CHARS_PER_TOKEN + other / _BYTES_PER_TOKEN)


@cache
def tokenizer_counter(path: Path) -> CountTokens:
    """Counts with a `tokenizer.json`. Raises ConfigError if it cannot be read."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path.expanduser()))
    except Exception as error:  # the library raises bare Exceptions
        raise ConfigError(
            f"{path} is no tokenizer: {error}", hint="name a tokenizer.json"
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text).ids)
