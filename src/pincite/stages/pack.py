"""The evidence pack: numbered, cited, with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pincite.model import (
    AbsentTerms,
    Candidate,
    Chosen,
    Context,
    Evidence,
    EvidencePack,
    Gated,
    Notice,
    Plan,
    Query,
)
from pincite.model.citation import chars_of, cite

SCHEMA_VERSION = "1.4"


@dataclass(frozen=True, slots=True)
class PackConfig:
    """`max_chars`: longer texts are cut in the pack, with a notice; 0 cuts nothing. `need_url`
    says of documentation without an address that it has none."""

    max_chars: int = 0
    need_url: bool = False


def pack(
    query: Query,
    chosen: Chosen,
    gated: Gated,
    plan: Plan,
    notices: Sequence[Notice],
    config: PackConfig,
    contexts: Sequence[Context | None] = (),
    required: Mapping[str, int] = MappingProxyType({}),
    absent: AbsentTerms = AbsentTerms(),
) -> EvidencePack:
    """Number and cite what was chosen, each with its context, if there are any, and by itself what
    is closest. Equal notices are said once. `required` is how many attributes a collection
    requires: so many values stand before the id in the path of a record."""
    said = (*query.notices, *notices, *gated.notices, *chosen.notices)
    evidence = _cited(chosen.candidates, config, contexts, required)
    closest = _cited(chosen.closest, config, (), required)
    if any(item.end_line == 0 for item in evidence):
        said = (*said, Notice("line_spans_unavailable", "line spans unavailable"))
    undated = sum(not item.ref for item in evidence)
    if undated:
        lacking = f"{undated} of {len(evidence)} items have no revision"
        said = (*said, Notice("revision_unavailable", f"{lacking}: they may have changed since"))
    homeless = [item for item in evidence if item.source_type == "docs" and not item.url]
    if config.need_url and homeless:
        lacking = f"{len(homeless)} of {len(evidence)} items are documentation without an address"
        said = (*said, Notice("url_missing", f"{lacking}: give the source a URL rule"))
    if config.max_chars and any(len(c.chunk.text) > config.max_chars for c in chosen.candidates):
        said = (*said, Notice("text_cut", f"texts are cut to {config.max_chars} characters"))
    kinds = [item.source_type for item in evidence]
    return EvidencePack(
        schema_version=SCHEMA_VERSION,
        query=query.text,
        verdict=gated.verdict,
        plan=plan,
        evidence=evidence,
        coverage={kind: kinds.count(kind) for kind in ("docs", "code", "data")},
        warnings=tuple(dict.fromkeys(said)),
        closest=closest,
        absent_terms=absent,
    )


def _cited(
    candidates: Sequence[Candidate],
    config: PackConfig,
    contexts: Sequence[Context | None],
    required: Mapping[str, int],
) -> tuple[Evidence, ...]:
    """These as evidence, numbered from 1."""
    around = contexts or (None,) * len(candidates)
    pairs = enumerate(zip(candidates, around, strict=True), start=1)
    return tuple(
        _evidence(number, one, config, context, required.get(one.collection, 0))
        for number, (one, context) in pairs
    )


def _evidence(
    number: int, candidate: Candidate, config: PackConfig, context: Context | None, required: int
) -> Evidence:
    chunk = candidate.chunk
    start_char, end_char = chars_of(chunk) or (None, None)
    return Evidence(
        number=number,
        citation=cite(chunk),
        citation_confidence="high" if chunk.end_line and chunk.ref else "medium",
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
        record_id=None if start_char is None else chunk.path.split("/", required)[-1],
        title=chunk.title,
    )
