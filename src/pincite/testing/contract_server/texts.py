"""Vectors and token counts that depend on the text alone."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.testing.contract_server.wire import Refusal

_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")
_WORD = re.compile(r"\w+")


def count_tokens(text: str) -> int:
    """Count pieces of at most six letters or digits, and each other sign: fewer than
    ceil(characters / 3) in prose."""
    return len(_TOKEN.findall(text))


@lru_cache(maxsize=20_000)
def _direction(word: str, dimensions: int) -> NDArray[np.float32]:
    seed = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
    made: NDArray[np.float32] = np.random.default_rng(seed).standard_normal(dimensions, np.float32)
    return made


def embed(text: str, dimensions: int, *, model: str = "", unit: bool = True) -> NDArray[np.float32]:
    """Return the vector of a text. Every word adds a direction of its own, and so does the model:
    texts with the same words are close, and no two models agree."""
    total = 0.1 * _direction(f"model {model}", dimensions)
    for word in _WORD.findall(text.lower()):
        total = total + _direction(f"{model}:{word}", dimensions)
    vector: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return vector if unit else np.float32(1.7) * vector


def texts_of(body: Any, field: str, *, most: int = 0, name: str = "") -> list[str]:
    """Return the texts of a request, checked as servers do. Raises Refusal."""
    if not isinstance(body, dict):
        raise Refusal(400, "request body is not a JSON object")
    given = body.get(field)
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refusal(400, f"'{field}' must be a string or a list of strings")
    if not texts:
        raise Refusal(400, f"'{field}' must not be empty")
    if most and len(texts) > most:
        raise Refusal(400, name or f"'{field}' has {len(texts)} items; the maximum is {most}")
    return texts
