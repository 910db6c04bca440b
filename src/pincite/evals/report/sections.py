"""Sections of the report on one run."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from pincite.evals.analysis.calibrate import Calibration
from pincite.evals.analysis.refusal import curve, share_below
from pincite.evals.analysis.summary import (
    STAGE_DEPTHS,
    StageFigures,
    Summary,
    scores,
    signals,
    values_by_topic,
)
from pincite.evals.report import svg
from pincite.evals.report.calibration import HEAD, calibration_rows, explained
from pincite.evals.report.parts import bars, figure, stacked, table
from pincite.evals.report.tables import best_rank
from pincite.evals.run.results import QueryResult, Run

_SHOWN = 6
_RANKED = ("fused", "smoothed", "ranked", "reranked", "blended", "diverse")


def stages(summary: Summary) -> str:
    """Return the recall after every stage that changed something."""
    rows = [
        (
            one.stage,
            *(f"{one.recall[depth]:.3f}" for depth in STAGE_DEPTHS),
            f"{one.ndcg_10:.3f}",
            f"{one.candidates:.0f}",
        )
        for one in changed(summary)
    ]
    head = ("after stage", *(f"R@{depth}" for depth in STAGE_DEPTHS), "nDCG@10", "candidates")
    return table(head, rows)


def changed(summary: Summary) -> list[StageFigures]:
    """Return the stages after which a figure was different."""
    kept: list[StageFigures] = []
    for one in summary.stages:
        last = kept[-1] if kept else None
        if last is None or (one.recall, one.ndcg_10, one.candidates) != (
            last.recall,
            last.ndcg_10,
            last.candidates,
        ):
            kept.append(one)
    return kept


def plots(run: Run, summary: Summary) -> str:
    """Return plots of quality by stage and category, of scores and of times."""
    found = changed(summary)
    by_depth = {f"R@{depth}": [one.recall[depth] for one in found] for depth in STAGE_DEPTHS}
    names = [one.stage for one in found]
    main = next(iter(summary.measures))
    categories = sorted(summary.categories.items(), key=lambda item: (-item[1][main], item[0]))
    totals = [query.total_ms for query in run.queries]
    parts = [
        figure("Recall by stage", svg.lines(by_depth, names, "recall after each stage")),
        figure(
            f"{main} by category",
            bars(
                (name, values[main], f"{values[main]:.2f} ({values['questions']:.0f})")
                for name, values in categories
            ),
            "In parentheses: questions.",
        ),
        _scores(run),
        figure(
            "Latency",
            svg.histogram({"questions": totals}, "latency", "ms")
            + stacked(tuple(summary.stage_p50_ms.items()), "ms"),
            "Questions by total time; below, the median of each stage.",
        ),
    ]
    return f'<div class="plots">{"".join(parts)}</div>'


def _scores(run: Run) -> str:
    """Return a plot of the last ranking signal of the results, for relevant and other ones."""
    names = {
        name: None
        for query in run.queries
        for one in query.results
        for name in one.signals
        if name.partition("/")[0] in _RANKED
    }
    if not names:
        return ""
    signal = list(names)[-1]
    graded: dict[str, list[float]] = {"relevant": [], "unjudged or not": []}
    for query in run.queries:
        for one in query.results:
            if signal in one.signals and not query.off_topic:
                graded["relevant" if one.grade else "unjudged or not"].append(one.signals[signal])
    plot = svg.histogram(graded, f"{signal} of results", signal)
    return figure("Scores of what was found", plot, "Share of each group by its score.")


def refusals(run: Run, summary: Summary) -> str:
    """Return the verdicts, the values on and off topic with the thresholds, and the curve of each
    signal."""
    levels = ("grounded", "weak", "none")
    verdicts = table(
        ("questions", *levels),
        [(topic, *(n[level] for level in levels)) for topic, n in summary.verdicts.items()],
    )
    if not summary.off_topic:
        return f"{verdicts}<p>No off-topic question: refusals are not measured.</p>"
    used = next((q.verdict_signal for q in run.queries if q.verdict_signal), "")
    on, off = (
        [value for value in values if value != float("-inf")]
        for values in values_by_topic(run.queries, used)
    )
    thresholds = run.stamp.profile["gate"].get(used.replace("/", "_"), {})
    marks = {name: thresholds[name] for name in ("weak_at", "grounded_at") if name in thresholds}
    by_signal, at = {}, {}
    for name in signals(run):
        inside, outside = values_by_topic(run.queries, name)
        points = curve(inside, outside)
        by_signal[name] = [(0.0, 0.0), *((p.on_refused, p.off_refused) for p in points), (1.0, 1.0)]
        weak = run.stamp.profile["gate"].get(name.replace("/", "_"), {}).get("weak_at")
        if weak is not None:
            at[name] = (share_below(inside, weak), share_below(outside, weak))
    parts = [
        figure(
            f"{used} of the best candidate",
            svg.histogram({"on topic": on, "off topic": off}, used, used, marks),
            "The verdict is judged on this signal; dashed: the profile's thresholds.",
        ),
        figure(
            "Refusing below every threshold",
            svg.curves(
                by_signal,
                at,
                "gate curves",
                "on-topic questions refused",
                "off-topic refused",
            ),
            "Circles: the profile's thresholds. The further to the upper left, the better.",
        ),
    ]
    return f'{verdicts}<div class="plots">{"".join(parts)}</div>'


def calibration(found: Calibration | None) -> str:
    """Return the effect of learned thresholds, by cross-validation."""
    if found is None:
        return ""
    notes = "".join(f"<p class=soft>{escape(note)}</p>" for note in found.notes)
    return (
        "<h3>Thresholds, learned and as they are</h3>"
        f"{table(HEAD, calibration_rows(found))}<p class=soft>{escape(explained(found))}</p>{notes}"
    )


def questions(run: Run) -> str:
    """Return each question with the ranks of its evidence by stage, the worst first."""
    values = scores(run, ("nDCG@10",))
    ordered = sorted(run.queries, key=lambda q: (values.get(q.id, {}).get("nDCG@10", 2.0), q.id))
    return "".join(_question(query, values.get(query.id, {}).get("nDCG@10")) for query in ordered)


def _question(query: QueryResult, value: float | None) -> str:
    figure_ = "off topic" if query.off_topic else "unjudged" if value is None else f"{value:.2f}"
    found = [
        (
            number,
            one.place,
            "" if one.grade is None else one.grade,
            "  ".join(f"{name} {value:.3f}" for name, value in one.signals.items()),
        )
        for number, one in enumerate(query.results[:_SHOWN], start=1)
    ]
    way = table(
        ("after", "best expected item at rank", "ms"),
        [
            (stage, best_rank(query, stage), f"{query.timings_ms.get(stage, 0.0):.2f}")
            for stage in query.ranks
        ],
    )
    wanted = ", ".join(
        f"{name} ({grade})" for name, grade in zip(query.items, query.grades, strict=True)
    )
    lost = f"<p class=worse>Not indexed: {escape(', '.join(query.missing))}</p>" * bool(
        query.missing
    )
    notices = f"<p class=soft>{escape('; '.join(query.notices))}</p>" if query.notices else ""
    return (
        f"<details><summary><code>{escape(query.id)}</code> {escape(query.query[:160])}"
        f" <small>{figure_}, {query.verdict}</small></summary>"
        f"<p class=soft>Expected: {escape(wanted or 'nothing')}</p>{lost}{notices}"
        f"{table(('rank', 'found', 'grade', 'signals'), found)}{way}</details>"
    )


def profile(run: Run) -> str:
    """Return every value of the run's profile."""
    rows = list(_flat(run.stamp.profile))
    collections = [
        (one.name, one.documents, one.chunks, one.language, one.dense or "lexical", one.contents)
        for one in run.stamp.collections
    ]
    head = ("collection", "documents", "chunks", "language", "dense model", "contents")
    return (
        f"{table(head, collections)}<details><summary>{len(rows)} values, fingerprint"
        f" {escape(run.stamp.profile_fingerprint)}</summary>{table(('field', 'value'), rows)}"
        "</details>"
    )


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{prefix}{name}.")
        else:
            rows.append((f"{prefix}{name}", value))
    return rows
