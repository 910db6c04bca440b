"""Check citations and quotes: find the file and place that a claim names, then `compare_claim`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import MappingProxyType

from pincite.citations.as_indexed import IndexedDocument
from pincite.citations.claimed_text import ClaimedText, ends_of_claim
from pincite.citations.compare_claim import Claim, ClaimCheck, compare_claim, unanswered
from pincite.citations.current_file import CitationStatus, CurrentFiles, Renames
from pincite.citations.forms import Span, forms, spans
from pincite.citations.left_out import left_out_file
from pincite.citations.lines_and_columns import ends_of_columns
from pincite.citations.listing import CitedIndex
from pincite.citations.named_places import find_place
from pincite.citations.passage import IndexedFile
from pincite.citations.resolve import (
    NoFile,
    NotNamed,
    find_chunk,
    find_cited_file,
    find_span,
    not_named,
    open_within,
    read_any,
    shortened,
)
from pincite.errors import StoreError, UsageError
from pincite.model import Attributes
from pincite.model.citation import cited_in, parse_citation
from pincite.ports import PagedIndex
from pincite.support.arguments import require_kind, shown
from pincite.support.fields import replace
from pincite.support.finding.ends import LINES, WORDS, Ends

_ID = re.compile(r"[0-9a-f]{1,32}")
_LONGEST = 10_000  # characters of a citation; the path of a file has up to 4,096
_Place = tuple[str, str, str]  # collection, source and path of a document
_SHORTEST_ID = 8  # as in `get`; a shorter one may later name another chunk


def claims_of(given: str | Claim | Iterable[str | Claim]) -> tuple[Claim, ...]:
    """Return the given claims. A text is a citation without a quote. Raises UsageError for values
    of other types."""
    if isinstance(given, str | Claim):
        given = (given,)
    if not isinstance(given, Iterable):
        raise UsageError(f"claims is {shown(given)}; it takes citations or Claims")
    claims = tuple(Claim(one) if isinstance(one, str) else one for one in given)
    for one in claims:
        require_kind("claims", one, Claim, "citations or Claims")
    return claims


async def check_claims(
    index: PagedIndex,
    claims: Sequence[Claim],
    folder: Path | None = None,
    *,
    tags: Attributes = MappingProxyType({}),
    bounds: Attributes = MappingProxyType({}),
    collections: Sequence[str] = (),
    here: str | None = None,
    faults: bool = True,
    told: Callable[[int, int], object] | None = None,
) -> tuple[ClaimCheck, ...]:
    """Return one verdict for each claim, in their order. White space in quotes is ignored.

    - `fresh`: the cited place has the quote; without a quote, the file has the cited revision;
    - `moved`: the quote is elsewhere in the file, or another file has the content of a deleted one;
    - `changed`: the quote is not in the file, or the file has no such lines, columns or page;
    - `deleted`: the file no longer exists;
    - `unknown`: the file is not indexed, and was not in the cited revision or is left out of its
      source now; or it cannot be read; or there is no quote, and the cited revision is neither the
      current one nor available.

    Without a quote, the text of the cited place is compared, if it is known: the text of the chunk
    for an id, else that of the cited revision, from git or from the index. Records are in the index
    `folder`.

    Documents outside of `tags`, `bounds` and, if some are named, `collections` count as not
    indexed. `here` is as in `get`. Without `faults`, the error of a failing store is left out, and
    so is the path. `told` is called with the number of distinct claims that have been checked, and
    with the number of all. Raises UsageError and TagsRequired for tags, bounds and collections.
    """
    within = await open_within(index, tags, collections, bounds, here)
    renames = None if within.narrowed else Renames()
    checking = _Checking(within, folder, faults, renames)
    return await checking.all(claims, told or _tell_nobody)


def _tell_nobody(_done: int, _total: int) -> None: ...


class _Checking:
    """Checks the claims of one request: each once, and claims about one document together."""

    def __init__(
        self, index: CitedIndex, folder: Path | None, faults: bool, renames: Renames | None
    ) -> None:
        self._index = index
        self._folder = folder
        self._faults = faults
        self._renames = renames
        self._files = CurrentFiles()

    async def all(
        self, claims: Sequence[Claim], told: Callable[[int, int], object]
    ) -> tuple[ClaimCheck, ...]:
        """Return the verdicts in the order of the claims."""
        found: dict[Claim, ClaimCheck] = {}
        about: dict[_Place, list[tuple[Claim, ClaimedText]]] = {}
        distinct = dict.fromkeys(claims)
        for claim in distinct:
            if len(claim.citation) > _LONGEST:
                found[claim] = ClaimCheck(claim.citation, "unknown", not_named(claim.citation))
                continue
            try:
                cited = await _resolve(self._index, claim)
            except UsageError as error:
                found[claim] = ClaimCheck(claim.citation, "unknown", error.message)
                continue
            known, quoted = cited.known, bool(claim.quote.strip())
            place = known.collection, known.record.source.name, known.path
            about.setdefault(place, []).append((claim, replace(cited, quoted=quoted)))
        for place, theirs in about.items():
            await self._of_document(place, theirs, found, lambda done: told(done, len(distinct)))
        return tuple(found[claim] for claim in claims)

    async def _of_document(
        self,
        place: _Place,
        claims: Sequence[tuple[Claim, ClaimedText]],
        found: dict[Claim, ClaimCheck],
        told: Callable[[int], object],
    ) -> None:
        """Add the verdicts of claims about one document to `found`."""
        indexed = IndexedDocument(self._index, place)
        for claim, cited in claims:
            told(len(found))
            found[claim] = verdict = await self._compare(claim, cited)
            try:
                again = await self._as_indexed(cited, verdict.status, place, indexed)
            except StoreError as error:
                found[claim] = unanswered(claim, cited, error, self._faults)
                again = await self._as_cited(cited)
            if again is not None:
                found[claim] = await self._compare(claim, again)

    async def _as_indexed(
        self, cited: ClaimedText, status: CitationStatus, place: _Place, indexed: IndexedDocument
    ) -> ClaimedText | None:
        """Return the claim to compare instead of one whose verdict has this status, with the text
        or the ends that the index has; None if the verdict stands. Raises StoreError."""
        if not cited.quoted and status == "unknown":  # the file is of another revision
            part = (await indexed.text()).part(cited.at)
            if part is None:
                return None
            blank = cited.at.chars is None and not part.text.strip()
            return replace(cited, text=part.text, ends=part.ends, blank=blank)
        if status != "changed":
            return None
        if not cited.quoted:
            if not (cited.text.strip() and cited.at.chars and cited.ends == LINES):
                return None
            ends: Ends | None = (await indexed.text()).ends(*cited.at.chars)
            return replace(cited, ends=ends) if ends != LINES else None
        # A quote of a whole passage may begin and end inside a word, other quotes may not.
        # First, check whether the file has it at all.
        if await asyncio.to_thread(self._files.lack, place, cited.text):
            return None
        joined = await indexed.joined()
        ends = await asyncio.to_thread(joined.ends_of, cited.text)
        if ends is None or ends == WORDS:
            return await self._as_cited(cited)
        return replace(cited, ends=ends)

    async def _as_cited(self, cited: ClaimedText) -> ClaimedText | None:
        """Return the claim with the ends that its quote has in the cited revision. None without a
        quote, if the quote is not all of the cited text there, or if it has whole words."""
        if not cited.quoted:
            return None
        ends = await asyncio.to_thread(ends_of_claim, cited, self._folder, self._files)
        if ends is None or ends.looser(WORDS) == WORDS:
            return None
        return replace(cited, ends=ends.looser(WORDS))

    async def _compare(self, claim: Claim, cited: ClaimedText) -> ClaimCheck:
        return await asyncio.to_thread(
            compare_claim, claim, cited, self._folder, self._faults, self._renames, self._files
        )


async def _resolve(index: CitedIndex, claim: Claim) -> ClaimedText:
    async def of_span(span: Span) -> ClaimedText:
        known, cited = await find_span(index, span)
        if cited is None or (cited.end_char is None and cited.page is None):
            ref = cited.ref if cited else span.ref
            cited = span.citation(ref, span.last or span.first)
        return ClaimedText(known, cited, claim.quote)

    async def as_written(form: str) -> ClaimedText:
        return await _as_written(index, replace(claim, citation=form))

    try:
        return await read_any(claim.citation, as_written, of_span)
    except NotNamed as error:
        if (isinstance(error, NoFile) or not error.hint) and (
            span := await find_place(index, claim.citation, hidden=index.narrowed)
        ):
            return await of_span(span)
        if index.narrowed:
            raise
        left_out = await left_out_file(index, claim.citation)
        if (earlier := _no_longer(index, claim)) is None:
            if left_out is not None:
                raise left_out from error
            raise
        return replace(earlier, otherwise=left_out.message if left_out is not None else "")


async def _as_written(index: CitedIndex, claim: Claim) -> ClaimedText:
    citation = parse_citation(claim.citation)
    if citation is None:
        prefix = claim.citation.strip().removeprefix("#")
        if not _ID.fullmatch(prefix):
            said = f"{shortened(claim.citation)} is neither a citation nor an id"
            raise NotNamed(f"{said}, and no indexed file has that name")
        if len(prefix) < _SHORTEST_ID:
            raise NotNamed(
                f"{claim.citation!r} is neither a citation nor an id: give at least"
                f" {_SHORTEST_ID} digits of the id"
            )
        info, chunk = await find_chunk(index, prefix)
        record = next(r for r in info.sources if r.source.name == chunk.repo)
        known = IndexedFile(info.spec.name, record, chunk.path, chunk.ref, chunk.content_hash)
        columns = chunk.start_column, chunk.end_column
        ends = WORDS if claim.quote.strip() else ends_of_columns(columns)
        return ClaimedText(known, cited_in(chunk), claim.quote or chunk.text, ends=ends)
    try:
        known = await find_cited_file(index, citation)
    except NotNamed as error:  # `a.py:12-20` is parsed as a place in a source named `a.py`
        raise NoFile(claim.citation) from error
    return ClaimedText(known, citation, claim.quote)


def _no_longer(index: CitedIndex, claim: Claim) -> ClaimedText | None:
    """Return the claim for a citation of a file that is not indexed, but may have been in an
    earlier revision of its source; None if there is no such source."""
    for form in forms(claim.citation):
        with_lines = [(one.name, one) for one in spans(form) if one.first is not None]
        for name, span in ((form, None), *with_lines, (form, Span(form))):
            cited = parse_citation(name)
            if cited is None or not cited.ref:
                continue
            found = [
                IndexedFile(info.spec.name, record, cited.place, "", "")
                for info in index.infos
                for record in info.sources
                if record.source.name == cited.source and record.source.kind != "records"
            ]
            if len(found) != 1:
                continue
            if span is None and cited.start_line is None and cited.page is None:
                continue  # lines may be written in another form
            if span is not None and span.first is not None:
                start, end = span.columns
                cited = replace(
                    cited,
                    start_line=span.first,
                    end_line=span.last or span.first,
                    start_column=start,
                    end_column=end,
                )
            return ClaimedText(found[0], cited, claim.quote)
    return None
