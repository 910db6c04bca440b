"""Turn candidates into the spans of a result page, and merge spans of one file that meet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from pincite.model import Candidate, Context, Drop
from pincite.stages.context.config import ContextConfig
from pincite.stages.context.document import DocumentChunks, NotRead
from pincite.stages.context.grow import Range, fits, grown, whole_lines

#: The maximum size of a merged span, as a multiple of the budget.
_TIMES = 2


@dataclass(slots=True)
class Span:
    """The text shown for one result. `found` has the places of its passages in the document, best
    first. Without a document, the span is only the passage."""

    lead: Candidate
    document: DocumentChunks | None = None
    reach: Range = (0, 0)
    found: list[int] = field(default_factory=list)

    @property
    def context(self) -> Context | None:
        """The context, None if only the passage is shown."""
        if self.document is None or self.reach == (self.found[0], self.found[0]):
            return None
        if not whole_lines(self.document, self.reach):
            return None
        return self.document.shown(*self.reach, self.found)


@dataclass(slots=True)
class Page:
    """A result page. It takes candidates, best first, until it has the requested number of
    `results`."""

    config: ContextConfig
    results: int
    spans: list[Span] = field(default_factory=list)
    _merged: list[tuple[Candidate, Span]] = field(default_factory=list)
    _waiting: list[tuple[Candidate, DocumentChunks | None]] = field(default_factory=list)

    def full(self) -> bool:
        """Return whether the page has its number of results."""
        return len(self.spans) >= self.results

    def take(
        self, candidate: Candidate, document: DocumentChunks | None, *, waits: bool = True
    ) -> None:
        """Add a candidate: as a new span, as a mark in an existing span, or to the waiting list.
        Raises NotRead; then nothing has changed."""
        spans = [(one, one.reach, list(one.found)) for one in self.spans]
        merged = list(self._merged)
        try:
            self._take(candidate, document, waits=waits)
        except NotRead:
            for span, reach, found in spans:
                span.reach, span.found = reach, found
            self.spans, self._merged = [span for span, _, _ in spans], merged
            raise

    def lacking(
        self, candidates: Iterable[tuple[Candidate, DocumentChunks | None]]
    ) -> list[NotRead]:
        """Return the first chunk that `take` probably needs for each of these candidates and that
        has not been read yet."""
        found = []
        for candidate, document in candidates:
            place = document.place_of(candidate.chunk) if document else None
            if document is not None and place is not None:
                try:
                    grown(document, place, lambda _: True, self.config)
                except NotRead as needed:
                    found.append(needed)
        return found

    def _take(self, candidate: Candidate, document: DocumentChunks | None, *, waits: bool) -> None:
        place = document.place_of(candidate.chunk) if document else None
        if document is None or place is None:
            self.spans.append(Span(candidate))
            return
        near = [one for one in self.spans if one.document is document]
        for span in near:
            if span.reach[0] <= place <= span.reach[1]:
                self._merge(candidate, [place], span)
                return
        taken = {other for one in near for other in range(one.reach[0], one.reach[1] + 1)}
        reach = grown(document, place, lambda other: other not in taken, self.config)
        for span in near:
            for wider in (reach, (place, place)):
                if self._meets(span, wider):
                    span.reach = _hull(span.reach, wider)
                    self._merge(candidate, [place], span)
                    self._unite(span)
                    return
        if waits and len(near) >= self._most():
            self._waiting.append((candidate, document))
            return
        self.spans.append(Span(candidate, document, reach, [place]))

    def _most(self) -> int:
        """The maximum number of results of one file while others wait."""
        return ceil(self.config.file_share * self.results)

    def fill(self, before: Candidate | None = None) -> None:
        """Give the remaining places to the waiting candidates; with `before`, only to those that
        are so much better that they need not wait for it. Raises NotRead; then it can be called
        again."""
        while self._waiting and not self.full():
            if before is not None and not self._outweighs(self._waiting[0][0], before):
                return
            self.take(*self._waiting[0], waits=False)
            del self._waiting[0]

    def _outweighs(self, waiting: Candidate, other: Candidate) -> bool:
        """Return whether the score of the other candidate is less than `file_share_from` of the
        score of the waiting one."""
        mine, its = waiting.rank_signal, other.rank_signal
        if (mine.name, mine.kind) != (its.name, its.kind) or mine.value <= 0:
            return False
        return its.value < self.config.file_share_from * mine.value

    def _merge(self, candidate: Candidate, found: list[int], into: Span) -> None:
        into.found += found
        self._merged.append((candidate, into))

    def _unite(self, span: Span) -> None:
        """Merge the results that now touch this span into it."""
        for other in [one for one in self.spans if one.document is span.document]:
            if other is span or not self._meets(span, other.reach):
                continue
            best, rest = sorted((span, other), key=self.spans.index)
            best.reach = _hull(best.reach, rest.reach)
            self._merged = [(one, best if into is rest else into) for one, into in self._merged]
            self._merge(rest.lead, rest.found, best)
            self.spans.remove(rest)
            self._unite(best)
            return

    def _meets(self, span: Span, reach: Range) -> bool:
        """Return whether this range touches a result, and one range has room for both."""
        document = span.document
        upper, lower = sorted((span.reach, reach))
        if document is None or upper[1] + 1 != lower[0] or not document.joined(upper[1]):
            return False
        both = _hull(upper, lower)
        return whole_lines(document, both) and fits(document, both, self.config, _TIMES)

    def dropped(self) -> list[Drop]:
        """Return what became of the other candidates: merged into a result, or still waiting."""
        numbers = {id(span): number for number, span in enumerate(self.spans, start=1)}
        return [
            *(
                Drop(one.chunk.candidate_id, f"merged into [{numbers[id(span)]}]")
                for one, span in self._merged
            ),
            *(
                Drop(one.chunk.candidate_id, f"more than {self._most()} of its file")
                for one, _ in self._waiting
            ),
        ]


def _hull(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), max(a[1], b[1])
