"""Format figures as Markdown, which a terminal can also show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pincite.evals.analysis.approximate import AnnReport
from pincite.evals.analysis.compare import Comparison, Moved
from pincite.evals.analysis.regression import CheckedRun
from pincite.evals.analysis.summary import STAGE_DEPTHS, Estimate, Summary
from pincite.evals.run.results import QueryResult, Stamp
from pincite.evals.sweep.results import SweepTable
from pincite.support.counted import counted, listed

_SHOWN = 5
_MISSED = 20


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table with padded columns, so that it is readable as text; numbers are on
    the right."""
    cells = [list(map(str, row)) for row in rows]
    widths = [
        max([3, len(name), *(len(row[place]) for row in cells)]) for place, name in enumerate(head)
    ]

    def line(row: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * width if place == 0 else f"{'-' * (width - 1)}:" for place, width in enumerate(widths)
    ]
    return "\n".join((line(head), f"| {' | '.join(rule)} |", *map(line, cells)))


def share(value: float | None) -> str:
    """Return a share with two digits, or a dash for None."""
    return "–" if value is None else f"{value:.2f}"


def spread(one: Estimate) -> str:
    """Return an estimate such as `.473 [.39, .55]`, with three digits."""
    return f"{one.mean:.3f} [{one.low:.3f}, {one.high:.3f}]"


def summary_table(summary: Summary) -> str:
    """Return all figures of a run."""
    parts = [
        f"## {summary.label}",
        f"{summary.questions} questions: {summary.judged} judged, {summary.off_topic} off topic"
        + (f", {summary.failed} failed" if summary.failed else "")
        + (f"; {summary.missing} expected items are not indexed" if summary.missing else "")
        + ".",
        summary.measured,
        table(
            ("measure", "mean [95 % interval]"),
            [(name, spread(one)) for name, one in summary.measures.items()],
        ),
        stage_table(summary),
        verdict_table(summary),
        f"Latency p50 {summary.latency_p50_ms:.1f} ms, p95 {summary.latency_p95_ms:.1f} ms;"
        f" about {summary.tokens:,.0f} tokens shown"
        + (
            f"; every expected kind of source covered in {summary.coverage_met:.0%}"
            if summary.coverage_met is not None
            else ""
        )
        + ".",
    ]
    if len(summary.categories) > 1:
        parts.insert(5, category_table(summary))
    return "\n\n".join(parts)


def stage_table(summary: Summary) -> str:
    """Return the recall after each stage that changed something."""
    rows = []
    before: tuple[object, ...] = ()
    for one in summary.stages:
        figures = (
            *(f"{one.recall[depth]:.3f}" for depth in STAGE_DEPTHS),
            f"{one.ndcg_10:.3f}",
            f"{one.candidates:.0f}",
        )
        if figures != before:
            rows.append((one.stage, *figures))
        before = figures
    return table(
        ("after stage", *(f"R@{depth}" for depth in STAGE_DEPTHS), "nDCG@10", "candidates"), rows
    )


def category_table(summary: Summary) -> str:
    """Return the first measures by category."""
    names = list(summary.measures)[:4]
    return table(
        ("category", "questions", *names),
        [
            (category, f"{found['questions']:.0f}", *(f"{found[name]:.3f}" for name in names))
            for category, found in summary.categories.items()
        ],
    )


def verdict_table(summary: Summary) -> str:
    """Return the questions by verdict, and the figures of refusals."""
    levels = ("grounded", "weak", "none")
    text = table(
        ("questions", *levels),
        [(topic, *(n[level] for level in levels)) for topic, n in summary.verdicts.items()],
    )
    if not summary.off_topic:
        return f"{text}\n\nNo off-topic question: refusals are not measured."
    found = ", ".join(
        f"{name} {value:.3f}" for name, value in summary.auroc.items() if value is not None
    )
    return (
        f"{text}\n\nRefusal precision {share(summary.precision)}, recall {share(summary.recall)}."
        f" AUROC: {found}."
    )


def comparison_table(found: Comparison, moved: int) -> str:
    """Return the differences, and up to `moved` questions that changed most."""
    rows = [
        (
            one.label,
            one.measure,
            f"{one.base:.4f}",
            f"{one.other:.4f}",
            f"{one.delta:+.4f}",
            f"[{one.low:+.4f}, {one.high:+.4f}]",
            f"{one.p:.4f}",
            f"{one.p_holm:.4f}",
            f"{one.better}/{one.same}/{one.worse}",
        )
        for one in found.differences
    ]
    head = ("run", "measure", found.base, "run's", "difference", "95 % interval", "p", "p (Holm)")
    parts = [
        table((*head, "better/same/worse"), rows),
        *(f"> {note}" for note in found.notes),
        *(moved_text(one) for one in found.moved[:moved]),
    ]
    return "\n\n".join(parts)


def moved_text(one: Moved) -> str:
    """Return a question with both traces side by side."""
    stages = list(dict.fromkeys((*one.base.ranks, *one.other.ranks)))
    rows = []
    for stage in stages:
        before, after = best_rank(one.base, stage), best_rank(one.other, stage)
        rows.append((stage, before, after))
    places = [
        (number, _place(one.base, number), _place(one.other, number)) for number in range(_SHOWN)
    ]
    return "\n\n".join(
        (
            f"### {one.base.id}: {' '.join(one.base.query.split())[:120]}",
            f"{one.measure} {one.base_value:.3f} → {one.other_value:.3f} ({one.label})",
            table(("best expected item at rank, after", "before", "after"), rows),
            table(("rank", "before", "after"), [(n + 1, a, b) for n, a, b in places]),
        )
    )


def best_rank(query: QueryResult, stage: str) -> str:
    """Return the first rank of a relevant item, and the number of candidates; a dash for no
    rank."""
    ranks = [
        rank
        for rank, grade in zip(query.ranks.get(stage, ()), query.grades, strict=False)
        if rank and grade > 0
    ]
    return f"{min(ranks) if ranks else '–'} of {query.depths.get(stage, 0)}"


def _place(query: QueryResult, number: int) -> str:
    if number >= len(query.results):
        return ""
    one = query.results[number]
    mark = "" if one.grade is None else f" ({one.grade})"
    return f"{one.place}{mark}"


def checks_table(found: CheckedRun, before: Stamp, now: Stamp) -> str:
    """Return the measures that the regression check compared, and its result."""
    rows = [
        (
            one.measure,
            one.result,
            f"{one.baseline:.4f}",
            f"{one.now:.4f}",
            f"{one.delta:+.4f}",
            f"±{one.tolerance:.4f}",
            one.reason,
        )
        for one in found.measures
    ]
    head = ("measure", "result", "baseline", "now", "difference", "tolerance", "reason")
    worse = [one.measure for one in found.measures if one.result == "worse"]
    verdict = "No worse than before."
    if worse:
        verdict = f"Worse than the baseline: {', '.join(worse)}."
    elif found.missing and found.passed:
        verdict = "No worse than before in the questions that are left."
    elif found.missing:
        verdict = "Questions of the baseline are missing."
    return "\n\n".join(
        (
            table(head, rows),
            f"{verdict} {_asked(found)} Baseline of {before.created}, run of {now.created}.",
            *(f"> {note}" for note in found.notes),
        )
    )


def _asked(found: CheckedRun) -> str:
    every = f"of the baseline's {counted(found.questions, 'question')}"
    if not found.missing:
        return f"All {every} compared."
    return (
        f"{found.questions - len(found.missing)} {every} compared; missing or without judgements"
        f" now: {listed(found.missing)}."
    )


def sweep_table(found: SweepTable, limit: int) -> str:
    """Return the best `limit` points and those on a Pareto front."""
    first = found.measures[0]
    shown = [r for n, r in enumerate(found.rows) if n < limit or r.best_for or not r.values]
    rows = [
        (
            row.label,
            *(f"{row.tune[name]:.4f}" for name in found.measures),
            *(f"{row.test[name]:.4f}" for name in found.measures),
            f"{row.delta:+.4f}",
            f"{row.p_holm:.3f}",
            f"{row.verdict:.2f}",
            f"{row.tokens:,.0f}",
            f"{row.latency_p50_ms:.1f}",
            ", ".join(row.best_for),
        )
        for row in shown
    ]
    head = (
        "point",
        *(f"{name}, tune" for name in found.measures),
        *(f"{name}, test" for name in found.measures),
        *("difference", "p (Holm)", "verdict", "tokens", "p50 ms", "Pareto"),
    )
    winner = found.winner
    return (
        f"{table(head, rows)}\n\n{len(found.rows)} points, {found.tune_questions} questions to"
        f" tune by and {found.test_questions} to test on. Best by {first} on the first:"
        f" {winner.label}; on the others, which it was not chosen by: {winner.test_delta:+.4f}"
        f" [{winner.low:+.4f}, {winner.high:+.4f}], p = {winner.p:.4f}."
    )


def ann_table(found: AnnReport) -> str:
    """Return the chunks that approximate search missed."""
    text = (
        f"Approximate search finds {found.recall:.4f} of the exact first {found.depth}"
        f" (hnsw_ef {found.hnsw_ef}, {found.questions} questions; worst question"
        f" {found.worst:.3f}); {len(found.missed)} missed, of which"
        f" {sum(one.expected for one in found.missed)} expected."
    )
    if not found.missed:
        return text
    rows = [
        (one.query_id, one.rank, f"{one.score:.4f}", "yes" if one.expected else "", one.place)
        for one in found.missed[:_MISSED]
    ]
    return f"{text}\n\n{table(('question', 'exact rank', 'cosine', 'expected', 'place'), rows)}"
