"""A copy of every dense vector, one byte a dimension, that is cheap to read.

Qdrant Edge hands out a vector as a list of Python's floats. To make 384 of them and an array of
those takes as long as to read the chunk itself, a text in the payload takes next to nothing. The
copy is for comparing chunks with each other; searches use the vectors themselves.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence

from pincite.model import Vector

_LARGEST = 127


def to_coarse(vector: Vector) -> str:
    """Base64 of signed bytes, the largest component being 127 or -127. Zeros stay zeros."""
    import numpy as np  # late: an index by word alone never needs it

    largest = float(np.abs(vector).max(initial=0.0)) or 1.0
    codes = np.rint(vector * (_LARGEST / largest)).astype(np.int8)
    return b2a_base64(codes.tobytes(), newline=False).decode("ascii")


def from_coarse(texts: Sequence[str]) -> Sequence[Vector]:
    """Unit vectors of one length; a component is off by about 1/254 of the largest at most."""
    if not texts:
        return ()
    import numpy as np

    codes = np.frombuffer(b"".join(map(a2b_base64, texts)), np.int8).reshape(len(texts), -1)
    rows = codes.astype(np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows /= np.where(norms > 0, norms, 1)[:, None]
    return list(rows)
