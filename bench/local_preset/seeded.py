"""A reranker of a set quality, made for measuring: it knows what is relevant and errs as often as
it is told to.

Scores of relevant documents are drawn from N(d, 1), those of others from N(0, 1), with
d = sqrt(2) * PPF(AUC), so that a random relevant document is above a random other one in a share of
AUC of all pairs. The probability of a score s is that of Bayes with equal priors,
1 / (1 + exp(d * d / 2 - d * s)). Draws depend on the question, the document and the seed alone.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from statistics import NormalDist
from typing import Final

_NORMAL: Final = NormalDist()
_STEPS: Final = 2**53


def probability(
    auc: float, question: str, document: str, *, relevant: bool, seed: int = 0
) -> float:
    """What it says of a document."""
    distance = math.sqrt(2) * _NORMAL.inv_cdf(auc)
    digest = blake2b(f"{seed}\n{question}\n{document}".encode(), digest_size=8).digest()
    share = (int.from_bytes(digest, "big") % (_STEPS - 1) + 1) / _STEPS
    score = _NORMAL.inv_cdf(share) + (distance if relevant else 0.0)
    return 1 / (1 + math.exp(distance * distance / 2 - distance * score))
