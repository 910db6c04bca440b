"""A copy of every dense vector, one byte per dimension, that is cheap to read.

Qdrant Edge returns a vector as a list of Python's floats. Creating 384 of them and an array takes
as long as reading the chunk itself; a text in the payload takes almost nothing. The copy is for
comparing chunks with each other; searches use the vectors themselves.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence

from pincite.model import Vector

_LARGEST = 127


def to_coarse(vector: Vector) -> str:
    """Return base64 of signed bytes; the largest component becomes 127 or -127. Zeros stay
    zeros."""
    import numpy as np  # late: an index for keyword search alone never needs it

    largest = float(np.abs(vector).max(initial=0.0)) or 1.0
    codes = np.rint(vector * (_LARGEST / largest)).astype(np.int8)
    return b2a_base64(codes.tobytes(), newline=False).decode("ascii")


def from_coarse(texts: Sequence[str]) -> Sequence[Vector]:
    """Return unit vectors of equal length; a component is off by at most about 1/254 of the
    largest."""
    if not texts:
        return ()
    import numpy as np

    codes = np.frombuffer(b"".join(map(a2b_base64, texts)), np.int8).reshape(len(texts), -1)
    rows = codes.astype(np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows /= np.where(norms > 0, norms, 1)[:, None]
    return list(rows)
