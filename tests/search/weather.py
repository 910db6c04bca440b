"""Texts, and a model that knows a topic that none of them has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pincite.model import Vector
from tests.small_search import TOPICS, TopicEncoder

TEXTS = {
    "keys": "To rotate a key call rotate_key with the new secret.",
    "again": "To rotate a key call rotate_key again, with the new secret.",
    "backups": "Backups run every night and are kept for thirty days.",
    "billing": "Invoices are sent on the first day of each month.",
}


@dataclass
class WeatherEncoder(TopicEncoder):
    """Knows a topic that no document has."""

    fingerprint: str = "topics/2"
    dimensions: int = len(TOPICS) + 2

    async def embed_query(self, text: str) -> Vector:
        words = text.lower()
        counts = [float(words.count(topic)) for topic in (*TOPICS, "weather")]
        vector = np.array([*counts, 0.1], np.float32)
        return vector / np.linalg.norm(vector)
