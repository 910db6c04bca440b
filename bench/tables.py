"""Figures to Markdown tables, one function per subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from bench.answering.agents import agents
from bench.answering.answers_table import answers
from bench.answering.citations import CitationFigures
from bench.answering.conversations_table import conversations
from bench.answering.evidence_table import evidence
from bench.answering.reading_table import reading
from bench.answering.refusals_table import refusals
from bench.answering.thresholds import thresholds
from bench.local_preset.local_table import local
from bench.local_preset.wordings_table import wordings
from bench.retrieval.descriptions_table import descriptions
from bench.retrieval.diversity_table import diversity
from bench.retrieval.evaluation_table import evaluation
from bench.retrieval.golden import GoldenFigures
from bench.retrieval.keywords_table import keywords
from bench.retrieval.partial import partial
from bench.retrieval.quality import QualityFigures, Scores
from bench.retrieval.short_table import short
from bench.retrieval.spans import SpanFigures
from bench.rivals.frameworks import frameworks
from bench.rivals.qmd import qmd
from bench.source_code.ablation import ablation
from bench.source_code.code_search_table import code_search
from bench.source_code.copied_table import copied
from bench.source_code.docstrings_table import docstrings
from bench.source_code.held_out_table import held_out
from bench.source_code.passages_table import passages
from bench.source_code.symbols_table import symbols
from bench.speed.cli import CliFigures
from bench.speed.documents_table import documents
from bench.speed.encoder import EncoderFigures
from bench.speed.first_word import first_word
from bench.speed.freshness import FreshnessFigures
from bench.speed.home import home
from bench.speed.large_code_table import large_code
from bench.speed.latency import LatencyFigures
from bench.speed.load import load
from bench.speed.page import page
from bench.speed.providers_table import providers
from bench.speed.watching_table import watching
from bench.storage.records_table import records
from bench.storage.stores_table import million, stores
from bench.storage.tenants import tenants
from bench.times import Times
from pincite.evals.report.tables import table


def quality(raw: Any) -> str:
    """nDCG@10 of every set and variant, then the other measures in the mean, then spans."""
    figures = msgspec.convert(raw, QualityFigures, str_keys=True)
    variants = tuple(figures.means)
    rows = []
    for one in figures.sets:
        reference = f"{one.reference.ndcg_10:.3f}" if one.reference else "–"
        holds = "yes" if one.lexical_holds and one.default_holds else "**no**"
        scores = [f"{one.scores[variant].ndcg_10:.3f}" for variant in variants]
        rows.append((one.name, reference, *scores, holds))
    means = [f"**{figures.means[variant].ndcg_10:.4f}**" for variant in variants]
    rows.append(("**mean**", "", *means, "yes" if figures.default_holds else "**no**"))
    parts = [
        "nDCG@10:",
        table(("set", "reference", *variants, "holds"), rows),
        "Recall@100:",
        _measure(figures, "recall_100"),
        "MRR@10:",
        _measure(figures, "mrr_10"),
        "Indexed documents:",
        table(
            ("set", "documents", "blank", "judged queries", "stemmed as"),
            [
                (s.name, f"{s.documents:,}", s.blank, f"{s.queries:,}", s.language)
                for s in figures.sets
            ],
        ),
    ]
    if figures.missing:
        parts.append(f"Missing: {', '.join(figures.missing)}.")
    if figures.spans is not None:
        parts += ["Spans:", _spans(figures.spans)]
    return "\n\n".join(parts)


def _measure(figures: QualityFigures, field: str) -> str:
    variants = tuple(figures.means)

    def cells(scores: Mapping[str, Scores]) -> list[str]:
        return [f"{getattr(scores[variant], field):.3f}" for variant in variants]

    rows = [(one.name, *cells(one.scores)) for one in figures.sets]
    return table(("set", *variants), [*rows, ("**mean**", *cells(figures.means))])


def _spans(spans: SpanFigures) -> str:
    rows = [
        (
            variant,
            *(f"{scores.recall[depth]:.3f}" for depth in scores.recall),
            *(f"{scores.precision[depth]:.3f}" for depth in scores.precision),
            *(f"{scores.tokens[depth]:,.0f}" for depth in scores.tokens),
        )
        for variant, scores in spans.scores.items()
    ]
    head = ("", "recall@5", "recall@10", "precision@5", "precision@10", "tokens@5", "tokens@10")
    return (
        f"{table(head, rows)}\n\n{spans.documents} documents in {spans.chunks:,} chunks of"
        f" {spans.chunk_tokens:.0f} word pieces on average; {spans.queries} questions."
    )


def golden(raw: Any) -> str:
    """Spans by variant, then the gate."""
    figures = msgspec.convert(raw, GoldenFigures, str_keys=True)
    rows = [
        (
            variant,
            *(f"{value:.3f}" for value in scores.recall.values()),
            f"{scores.ndcg_12:.3f}",
            f"{scores.mrr_12:.3f}",
            f"{scores.mrr3_12:.3f}",
        )
        for variant, scores in figures.scores.items()
    ]
    depths = next(iter(figures.scores.values())).recall
    head = ("", *(f"R@{depth}" for depth in depths), "nDCG@12", "MRR@12", "MRR3@12")
    gate = figures.gate
    levels = ("grounded", "weak", "none")
    verdicts = table(
        ("questions", *levels),
        [
            (name, *(counts.get(level, 0) for level in levels))
            for name, counts in (("on topic", gate.on_topic), ("off topic", gate.off_topic))
        ],
    )
    shares = [
        "–" if share is None else f"{share:.2f}"
        for share in (gate.refusal_precision, gate.refusal_recall)
    ]
    return (
        f"{table(head, rows)}\n\n{figures.documents:,} documents, {figures.chunks:,} chunks,"
        f" {figures.questions} questions.\n\n{verdicts}\n\n"
        f"Refusal precision {shares[0]}, refusal recall {shares[1]}."
    )


def citations(raw: Any) -> str:
    """Exactness and coverage by source, with what does not hold."""
    figures = msgspec.convert(raw, CitationFigures, str_keys=True)
    rows = [
        (
            one.name,
            f"{one.files:,}",
            f"{one.chunks:,}",
            _share(one.exact, one.chunks),
            f"{one.lines:,}",
            _share(one.covered, one.lines),
        )
        for one in figures.sources
    ]
    parts = [table(("source", "files", "chunks", "exact", "lines", "covered"), rows)]
    for one in figures.sources:
        parts += [f"- {problem}" for problem in (*one.wrong, *one.uncovered)]
    parts += [f"Not checked: {reason}" for reason in figures.sources_skipped]
    return "\n\n".join(parts)


def _share(part: int, whole: int) -> str:
    if part == whole:
        return "100 %"
    return f"**{100 * part / whole:.4f} %**"


def encoder(raw: Any) -> str:
    """Rounds, efficiency, phases, torch."""
    figures = msgspec.convert(raw, EncoderFigures, str_keys=True)
    rounds = [
        (
            number,
            " ".join(f"{pace.tokens_per_s:,.0f}" for pace in one.raw),
            f"{one.encoder.tokens_per_s:,.0f}",
            f"{one.indexing.tokens_per_s:,.0f}",
            f"{one.encoder_share:.3f}",
            f"{one.indexing_share:.3f}",
            f"{one.work_share:.3f}",
        )
        for number, one in enumerate(figures.rounds, start=1)
    ]
    head = (
        "round",
        "raw, tokens/s",
        "encoder",
        "indexing",
        "encoder / raw",
        "indexing / raw",
        "work share",
    )
    total = sum(figures.phases_s.values())
    phases = [
        (name, f"{seconds:.2f}", f"{100 * seconds / total:.0f} %")
        for name, seconds in figures.phases_s.items()
    ]
    parts = [
        table(head, rounds),
        f"Efficiency of indexing **{figures.indexing_efficiency:.2f}**, of the encoder"
        f" {figures.encoder_efficiency:.2f}; work share {figures.work_share:.2f}; the encoder is"
        f" busy {100 * figures.busy:.0f} % of the indexing time. {figures.chunks:,} chunks,"
        f" {figures.tokens:,} tokens, {figures.threads} threads.",
        table(("phase", "seconds alone", "share"), phases),
    ]
    if figures.torch is None:
        parts.append(f"Torch was not measured: {figures.torch_skipped}")
        return "\n\n".join(parts)
    torch = figures.torch
    rows = [("the product's", f"{torch.encoder_tokens_per_s:,.0f}")]
    rows += [
        (f"{torch.versions}, batch {batch}", f"{speed:,.0f}")
        for batch, speed in torch.tokens_per_s.items()
    ]
    parts += [table(("encoder", "tokens/s"), rows), f"Ratio to the better batch **{torch.ratio}**."]
    if torch.quality:
        pairs = [(name, *(f"{v:.4f}" for v in pair)) for name, pair in torch.quality.items()]
        parts.append(table(("dense nDCG@10", "the product's", "torch"), pairs))
    return "\n\n".join(parts)


def latency(raw: Any) -> str:
    """Totals, stages, waits, sizes."""
    figures = msgspec.convert(raw, LatencyFigures, str_keys=True)
    totals = {
        "total, as a client sees it": figures.total,
        "... with the retrieval log": figures.logged,
        "total before optimising": figures.unoptimised,
        "in process": figures.in_process,
        "engine alone": figures.engine,
    }
    stages = [(name, f"{value:.2f}") for name, value in figures.stages_p50.items()]
    return "\n\n".join(
        (
            times_table("search", totals),
            f"Processor time of a search: {figures.client_cpu:.2f} ms in the client,"
            f" {figures.daemon_cpu:.2f} ms in the daemon.",
            table(("stage", "p50 ms"), stages),
            times_table("wait while", figures.waits),
            table(
                ("", ""),
                [
                    ("chunks", f"{figures.chunks:,}"),
                    ("built in", f"{figures.build_s:.0f} s"),
                    ("optimised in the background in", f"{figures.optimise_s:.0f} s"),
                    ("chunks per s written beside searches", f"{figures.written_chunks_per_s:,}"),
                    ("daemon's resident memory", f"{figures.daemon_rss_mb:.0f} MB"),
                    ("... of which not backed by files", f"{figures.daemon_private_mb:.0f} MB"),
                    ("disk", f"{figures.disk_mb:.0f} MB"),
                ],
            ),
        )
    )


def times_table(head: str, rows: Mapping[str, Times]) -> str:
    """Quantiles in milliseconds."""
    return table(
        (head, "p50 ms", "p95 ms", "max ms", "n"),
        [
            (name, f"{one.p50:.1f}", f"{one.p95:.1f}", f"{one.max:.1f}", one.count)
            for name, one in rows.items()
        ],
    )


def cli(raw: Any) -> str:
    """Starts, searches, runs without a change, sizes."""
    figures = msgspec.convert(raw, CliFigures, str_keys=True)
    single = [
        ("`python -c pass`", figures.python),
        ("`import pincite`, on top", figures.import_pincite),
        ("`from pincite import AsyncPincite`, on top", figures.import_public_names),
        ("`pincite --help`", figures.help),
    ]
    files = f"{figures.files:,} files"
    walls = {
        "search, daemon warm": figures.warm_search,
        "search, no daemon": figures.cold_search,
        f"index, {files} unchanged": figures.no_change_wall,
        "... inside": figures.no_change_inside,
    }
    return "\n\n".join(
        (
            table(("", "ms"), [(name, f"{value:.0f}") for name, value in single]),
            times_table("command", walls),
            table(
                ("", ""),
                [
                    (f"first index of {files}", f"{figures.first_index_s:.1f} s"),
                    ("idle daemon's resident memory", f"{figures.daemon_rss_mb:.0f} MB"),
                    ("... of which not backed by files", f"{figures.daemon_private_mb:.0f} MB"),
                    ("chunks of this repository", f"{figures.repository_chunks:,}"),
                    ("their index on disk", f"{figures.repository_disk_mb:.1f} MB"),
                ],
            ),
        )
    )


def freshness(raw: Any) -> str:
    """How soon edits are found, and what a look costs a search."""
    figures = msgspec.convert(raw, FreshnessFigures, str_keys=True)
    rows = {
        f"an edit among {figures.files:,} files is found": figures.edits,
        "search": figures.search,
        "search, with a look at the folders": figures.look,
    }
    burst = f"{figures.burst_files:,} edits at once are all found after"
    return "\n\n".join(
        (times_table("", rows), table(("", ""), [(burst, f"{figures.burst_s:.1f} s")]))
    )


TABLES: Final[Mapping[str, Callable[[Any], str]]] = {
    "quality": quality,
    "partial": partial,
    "code_search": code_search,
    "ablation": ablation,
    "docstrings": docstrings,
    "reading": reading,
    "golden": golden,
    "evidence": evidence,
    "refusals": refusals,
    "thresholds": thresholds,
    "tenants": tenants,
    "conversations": conversations,
    "diversity": diversity,
    "first_word": first_word,
    "page": page,
    "answers": answers,
    "agents": agents,
    "citations": citations,
    "documents": documents,
    "evaluation": evaluation,
    "encoder": encoder,
    "providers": providers,
    "latency": latency,
    "large_code": large_code,
    "symbols": symbols,
    "copied": copied,
    "passages": passages,
    "held_out": held_out,
    "short": short,
    "stores": stores,
    "million": million,
    "records": records,
    "cli": cli,
    "freshness": freshness,
    "local": local,
    "keywords": keywords,
    "watching": watching,
    "home": home,
    "qmd": qmd,
    "frameworks": frameworks,
    "wordings": wordings,
    "descriptions": descriptions,
    "load": load,
}
