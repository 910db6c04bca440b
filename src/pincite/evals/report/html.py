"""Write the report as one HTML file with plots, without scripts or network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pincite.evals.analysis.calibrate import Calibration
from pincite.evals.analysis.compare import Comparison
from pincite.evals.analysis.summary import Summary
from pincite.evals.report.parts import estimates, table, tiles
from pincite.evals.report.sections import calibration, plots, profile, questions, refusals, stages
from pincite.evals.report.style import STYLE
from pincite.evals.report.tables import share
from pincite.evals.run.results import Run

_BEGINS = "<!doctype html>\n"
_TITLE = "Retrieval on "
_HEAD = 500  # characters that contain the title


def page(
    runs: Sequence[Run],
    summaries: Sequence[Summary],
    comparison: Comparison | None,
    calibrations: Sequence[Calibration | None],
) -> str:
    """Return the whole file."""
    first = runs[0].stamp
    title = f"{_TITLE}{first.golden}"
    contents = []
    body = []
    if comparison is not None:
        contents.append(("compared", "Runs compared"))
        body.append(_compared(comparison, summaries))
    for number, (run, summary, found) in enumerate(
        zip(runs, summaries, calibrations, strict=True), start=1
    ):
        contents.append((f"run-{number}", run.stamp.label))
        body.append(_run(run, summary, found, f"run-{number}"))
    links = "".join(f'<li><a href="#{anchor}">{escape(name)}</a></li>' for anchor, name in contents)
    return (
        f'{_BEGINS}<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><p class=soft>{escape(_indexed(runs[0]))}</p></header>"
        f"<nav><ul>{links}</ul></nav>{''.join(body)}</body></html>\n"
    )


def is_page(text: str) -> bool:
    """Return whether this is the text of such a file."""
    return text.startswith(_BEGINS) and f"<title>{_TITLE}" in text[:_HEAD]


def _indexed(run: Run) -> str:
    found = "; ".join(
        f"{one.name}: {one.documents:,} documents in {one.chunks:,} chunks"
        for one in run.stamp.collections
    )
    return (
        f"{len(run.queries)} questions, golden set {run.stamp.golden_fingerprint}. {found}."
        f" Pincite {run.stamp.pincite}, {run.stamp.created[:10]}."
    )


def _compared(found: Comparison, summaries: Sequence[Summary]) -> str:
    names = list(summaries[0].measures)[:4]
    marks = "".join(
        f"<h3>{escape(name)}</h3>{estimates([(s.label, s.measures[name]) for s in summaries])}"
        for name in names
    )
    rows = [
        (
            one.label,
            one.measure,
            f"{one.base:.3f} → {one.other:.3f}",
            f"{one.delta:+.3f} ({one.low:+.3f} to {one.high:+.3f})",
            f"{one.p_holm:.3f}",
            f"{one.better} / {one.same} / {one.worse}",
        )
        for one in found.differences
    ]
    head = ("run", "measure", "means", "difference (95 %)", "p (Holm)", "better / same / worse")
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in found.notes)
    moved = [
        (
            one.label,
            one.base.id,
            one.base.query[:90],
            f"{one.base_value:.3f}",
            f"{one.other_value:.3f}",
        )
        for one in found.moved
    ]
    return (
        f'<section id="compared"><h2>Runs compared</h2>{marks}'
        f"<h3>Differences to {escape(found.base)}</h3>{table(head, rows)}"
        "<p class=soft>Paired over the questions that both runs have: 95 % bootstrap interval,"
        " randomisation test, and its p corrected for all comparisons in this table (Holm).</p>"
        f"{notes}<h3>Questions that moved most</h3>"
        f"{table(('run', 'id', 'question', 'before', 'after'), moved)}</section>"
    )


def _run(run: Run, summary: Summary, found: Calibration | None, anchor: str) -> str:
    main, *others = summary.measures.items()
    figures = [
        (name, f"{one.mean:.3f}", f"{one.low:.3f} to {one.high:.3f}")
        for name, one in (main, *others[1:3])
    ]
    figures += [
        (
            "refusals",
            f"{share(summary.precision)} / {share(summary.recall)}",
            f"precision / recall, {summary.off_topic} off topic",
        ),
        ("latency p50", f"{summary.latency_p50_ms:.1f} ms", f"p95 {summary.latency_p95_ms:.1f} ms"),
        ("shown", f"{summary.tokens:,.0f}", "tokens a question, about"),
    ]
    missing = (
        f"<p class=worse>{summary.missing} expected items are not in the index and count as not"
        " found.</p>"
        if summary.missing
        else ""
    )
    return (
        f'<section id="{anchor}"><h2>{escape(run.stamp.label)}</h2>{tiles(figures)}{missing}'
        f"<h3>Measures</h3>{estimates(summary.measures.items())}"
        f"<p class=soft>{escape(summary.measured)} Means over the questions that have something"
        " to be found, with their 95 % bootstrap intervals. A question without results counts as"
        " 0.</p>"
        f"<h3>Stage by stage</h3>{stages(summary)}"
        f"{plots(run, summary)}"
        f"<h3>Refusals</h3>{refusals(run, summary)}{calibration(found)}"
        f"<h3>Questions</h3>{questions(run)}"
        f"<h3>Profile</h3>{profile(run)}</section>"
    )
