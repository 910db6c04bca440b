"""DSPy: a retriever; needs `pip install 'pincite[dspy]'`.

>>> dspy.configure(rm=PinciteRetriever(".pincite"))
>>> dspy.Retrieve(k=3)("how is a key rotated?").passages
"""

from __future__ import annotations

from typing import Any, Unpack

from pincite.model import EvidencePack
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.frameworks.evidence_source import (
    EvidenceSource,
    IndexHandle,
    Place,
    Restrictions,
    count_of,
    metadata_of,
    reason_of,
    require_taken,
    warnings_of,
)

with needs_extra("dspy", "dspy"):
    import dspy
    from dspy.utils.callback import with_callbacks


class PinciteRetriever(dspy.Retrieve):  # type: ignore[misc]  # the library has no types
    """A retriever of passages with their citations, best first. Configure it as `rm`, or call it in
    a module. It returns `Passages`."""

    def __init__(
        self, index: Place | IndexHandle = None, k: int = 3, **searched: Unpack[Restrictions]
    ) -> None:
        """Prepare the retriever, with the restrictions of `EvidenceSource`. Raises TypeError for an
        unknown argument, and UsageError for an invalid value."""
        if "limit" in searched:
            raise TypeError("PinciteRetriever() takes k, not limit")
        require_taken("PinciteRetriever", searched, limit="k", top_k="k", similarity_top_k="k")
        super().__init__(k=count_of(k, "k"))
        self._source = EvidenceSource(index, **searched)

    def forward(self, query: str, k: int | None = None, *, where: str = "") -> Passages:
        """Return the passages for a question. `where` narrows the retriever's own filter."""
        limit = count_of(self.k if k is None else k, "k")
        return Passages(self._source.retrieve(query, limit=limit, where=where))

    async def aforward(self, query: str, k: int | None = None, *, where: str = "") -> Passages:
        """Return the passages as `forward` does, without blocking the event loop."""
        limit = count_of(self.k if k is None else k, "k")
        return Passages(await self._source.aretrieve(query, limit=limit, where=where))

    @with_callbacks  # type: ignore[untyped-decorator]
    async def acall(self, query: str, k: int | None = None, *, where: str = "") -> Passages:
        """Return the passages as a call of the retriever does, without blocking the event loop."""
        return await self.aforward(query, k, where=where)

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:  # noqa: ARG002 - the framework's
        """Return the state of the retriever in a saved module: `k`."""
        state: dict[str, Any] = super().dump_state()
        return state

    def close(self) -> None:
        """Close the index; the next question opens it again."""
        self._source.close()


class Passages(dspy.Prediction):  # type: ignore[misc]
    """The result of a retriever: `passages`, `citations`, `metadata`, the `verdict` with its
    `reason`, and `warnings`. It can also be iterated, as `dspy.Retrieve` does with an `rm`."""

    passages: list[str]
    citations: list[str]
    metadata: list[dict[str, Any]]
    verdict: str
    reason: str
    warnings: list[str]

    def __init__(self, pack: EvidencePack) -> None:
        super().__init__(
            passages=[one.text for one in pack],
            citations=[one.citation for one in pack],
            metadata=[metadata_of(one, pack) for one in pack],
            verdict=pack.verdict.level,
            reason=reason_of(pack),
            warnings=warnings_of(pack),
        )

    def __iter__(self) -> Any:
        texts = zip(self.passages, self.citations, strict=True)
        return iter([dspy.Example(long_text=text, citation=cited) for text, cited in texts])
