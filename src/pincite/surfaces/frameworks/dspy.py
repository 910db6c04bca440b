"""DSPy: a retriever; needs `pip install 'pincite[dspy]'`.

>>> dspy.configure(rm=PinciteRetriever(".pincite"))
>>> dspy.Retrieve(k=3)("how is a key rotated?").passages
"""

from __future__ import annotations

from typing import Any

from pincite.model import EvidencePack
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, count_of, metadata_of

with needs_extra("dspy", "dspy"):
    import dspy


class PinciteRetriever(dspy.Retrieve):  # type: ignore[misc]  # the library has no types
    """A retriever of passages with their citations, best first. Configure it as `rm`, or call it in
    a module: it returns a `Prediction` with `passages`, `citations`, `metadata` and `verdict`."""

    def __init__(self, index: Any = None, k: int = 3, **searched: Any) -> None:
        """Prepare the retriever, with the restrictions of `EvidenceSource`. Raises TypeError for an
        unknown argument, UsageError."""
        if "limit" in searched:
            raise TypeError("PinciteRetriever() takes k, not limit")
        super().__init__(k=count_of(k, "k"))
        self._source = EvidenceSource(index, **searched)

    def forward(self, query: str, k: int | None = None, *, where: str = "") -> Passages:
        """Return the passages for a question; `where` narrows the retriever's own filter."""
        limit = count_of(self.k if k is None else k, "k")
        return Passages(self._source.search(query, limit=limit, where=where))

    async def aforward(self, query: str, k: int | None = None, *, where: str = "") -> Passages:
        """Return the passages as `forward` does."""
        limit = count_of(self.k if k is None else k, "k")
        return Passages(await self._source.asearch(query, limit=limit, where=where))

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:  # noqa: ARG002 - the framework's
        """Return the state that a saved module keeps: `k`."""
        state: dict[str, Any] = super().dump_state()
        return state

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._source.close()


class Passages(dspy.Prediction):  # type: ignore[misc]
    """The result of a retriever. It can also be iterated, as `dspy.Retrieve` does with an `rm`."""

    def __init__(self, pack: EvidencePack) -> None:
        super().__init__(
            passages=[one.text for one in pack],
            citations=[one.citation for one in pack],
            metadata=[metadata_of(one, pack) for one in pack],
            verdict=pack.verdict.level,
        )

    def __iter__(self) -> Any:
        texts = zip(self.passages, self.citations, strict=True)
        return iter([dspy.Example(long_text=text, citation=cited) for text, cited in texts])
