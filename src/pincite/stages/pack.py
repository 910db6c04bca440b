"""Build the evidence pack: numbered, cited passages with a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from pincite.model import (
    AbsentTerms,
    Candidate,
    Chosen,
    Compared,
    Context,
    Evidence,
    EvidencePack,
    Gated,
    Notice,
    Omitted,
    Plan,
    Query,
    Truth,
    Verdict,
)
from pincite.model.citation import chars_of, cite, page_of
from pincite.model.records import OCR
from pincite.support.fields import replace
from pincite.support.ranges import require_range
from pincite.support.terminal import one_line

SCHEMA_VERSION = "1.5"
_NAMED = 5  # paths in a warning


class PackConfig(msgspec.Struct, frozen=True):
    """`max_chars`: cut longer texts, with a notice; 0 for no limit. `need_url`: add a notice for
    documentation without an address."""

    max_chars: int = 0
    need_url: bool = False

    def __post_init__(self) -> None:
        require_range(self, "pack", "max_chars", least=0)


def pack(
    query: Query,
    chosen: Chosen,
    gated: Gated,
    plan: Plan,
    notices: Sequence[Notice],
    config: PackConfig,
    compared: Compared | None = None,
    *,
    required: Mapping[str, int] = MappingProxyType({}),
    absent: AbsentTerms = AbsentTerms(),
) -> EvidencePack:
    """Build the pack: number and cite the chosen passages, each with its context if there is one,
    and the closest passages separately. Equal notices appear once.

    `compared` has the chosen passages as their files have them now, None if they were not compared.
    `required` has the number of attributes that each collection requires; as many values precede
    the id in the path of a record.
    """
    if compared is None:
        compared = Compared(chosen.candidates, (), ())
    omitted = compared.omitted
    said = (*query.notices, *notices, *gated.notices, *chosen.notices)
    evidence = _cited(compared.candidates, config, compared.contexts, required, compared.truths)
    closest = _cited(chosen.closest, config, (), required)
    said += _changes(evidence, omitted)
    if any(item.end_line == 0 and item.page is None for item in evidence):
        said = (*said, Notice("line_spans_unavailable", "some items have no line numbers"))
    undated = sum(not item.ref for item in evidence)
    if undated:
        lacking = f"{undated} of {len(evidence)} items have no revision"
        said = (
            *said,
            Notice("revision_unavailable", f"{lacking}, so changes to them cannot be detected"),
        )
    homeless = [item for item in evidence if item.source_type == "docs" and not item.url]
    if config.need_url and homeless:
        lacking = f"{len(homeless)} of {len(evidence)} items are documentation without an address"
        said = (*said, Notice("url_missing", f"{lacking}: give the source a URL rule"))
    if config.max_chars and any(len(c.chunk.text) > config.max_chars for c in compared.candidates):
        said = (*said, Notice("text_cut", f"texts are cut to {config.max_chars} characters"))
    kinds = [item.source_type for item in evidence]
    return EvidencePack(
        schema_version=SCHEMA_VERSION,
        query=query.text,
        verdict=_verdict(gated, evidence, omitted),
        plan=plan,
        evidence=evidence,
        coverage={kind: kinds.count(kind) for kind in ("docs", "code", "data")},
        warnings=tuple(dict.fromkeys(said)),
        omitted=omitted,
        closest=closest,
        absent_terms=absent,
    )


def _cited(
    candidates: Sequence[Candidate],
    config: PackConfig,
    contexts: Sequence[Context | None],
    required: Mapping[str, int],
    truths: Sequence[Truth] = (),
) -> tuple[Evidence, ...]:
    """Return the candidates as evidence, numbered from 1."""
    around = contexts or (None,) * len(candidates)
    unchecked: tuple[Truth, ...] = tuple("unchecked" for _ in candidates)
    rows = enumerate(zip(candidates, around, truths or unchecked, strict=True), start=1)
    return tuple(
        _evidence(number, one, config, context, required.get(one.collection, 0), truth)
        for number, (one, context, truth) in rows
    )


def _changes(evidence: Sequence[Evidence], omitted: Sequence[Omitted]) -> tuple[Notice, ...]:
    """Return one notice for each kind of change since indexing."""
    said: list[Notice] = []
    moved = sum(item.truth == "moved" for item in evidence)
    if moved:
        what = "passage is of a file that has" if moved == 1 else "passages are of files that have"
        text = f"{moved} {what} changed since indexing; the lines are the current ones"
        said.append(Notice("moved", text))
    if omitted:
        paths = list(dict.fromkeys(one_line(one.path) for one in omitted))
        named = ", ".join(paths[:_NAMED]) + (", ..." if len(paths) > _NAMED else "")
        what = "passage is" if len(omitted) == 1 else "passages are"
        text = (
            f"{len(omitted)} {what} left out, because files changed or were deleted since"
            f" indexing: {named}"
        )
        said.append(Notice("stale_omitted", text))
    return tuple(said)


def _verdict(gated: Gated, evidence: Sequence[Evidence], omitted: Sequence[Omitted]) -> Verdict:
    """Return the verdict, or `none` with a reason if all passages were left out as changed."""
    if evidence or not omitted:
        return gated.verdict
    reason = "What matched is in files that have changed or are gone: run `pincite index`."
    if gated.candidates and gated.verdict.level == "none":
        reason = f"{reason} For the other passages: {gated.verdict.reason}"
    return replace(gated.verdict, level="none", reason=reason)


def _evidence(
    number: int,
    candidate: Candidate,
    config: PackConfig,
    context: Context | None,
    required: int,
    truth: Truth,
) -> Evidence:
    chunk = candidate.chunk
    start_char, end_char = chars_of(chunk) or (None, None)
    page, unit = page_of(chunk)
    in_file = start_char is None or bool(chunk.on_page and not chunk.on_page.of_record)
    is_placed = bool(chunk.end_line or page)
    return Evidence(
        number=number,
        citation=cite(chunk),
        citation_confidence="high" if is_placed and chunk.ref else "medium",
        collection=candidate.collection,
        source_type=chunk.source_type,
        repo=chunk.repo,
        ref=chunk.ref,
        path=chunk.path,
        url=chunk.url,
        chunk_id=chunk.id,
        candidate_id=chunk.candidate_id,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        start_column=chunk.start_column,
        end_column=chunk.end_column,
        headings=chunk.headings,
        symbols=chunk.symbols,
        language=chunk.language,
        content_hash=chunk.content_hash,
        signals=candidate.signals,
        text=chunk.text[: config.max_chars] if config.max_chars else chunk.text,
        context=context,
        start_char=start_char,
        end_char=end_char,
        attributes=chunk.attributes,
        record_id=None if in_file else chunk.path.split("/", required)[-1],
        title=chunk.title,
        truth=truth,
        page=page,
        page_unit=unit,
        visual=chunk.visual,
        box=chunk.on_page.box if chunk.on_page else None,
        note=chunk.on_page.note if chunk.on_page else "",
        descriptions=candidate.descriptions,
        recognised=(chunk.on_page is not None and chunk.on_page.recognised)
        or chunk.attributes.get(OCR) is True,
        rows=chunk.on_page.rows if chunk.on_page else None,
    )
