"""Figures of packages without their documentation as Markdown tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bench.source_code.ablation import ablation
from bench.source_code.docstrings import DocstringFigures, Group, System
from bench.source_code.docstrings_questions import NAMES, SENTENCES
from pincite.evals.report.tables import table


def docstrings(raw: Any) -> str:
    """The systems beside each other for each group of packages; by package; then the parts."""
    figures = msgspec.convert(raw, DocstringFigures, str_keys=True)
    groups = [text for label, one in figures.groups.items() for text in _group(label, one)]
    names = tuple(dict.fromkeys(name for one in figures.groups.values() for name in one.systems))
    packages = [
        (
            f"{name} {one.version} ({one.language})",
            one.files,
            *(f"{one.scores[name]:.3f}" if name in one.scores else "" for name in names),
        )
        for name, one in figures.packages.items()
    ]
    rival = f"semble is {figures.semble} without a model. " if figures.semble else ""
    return "\n\n".join(
        (
            *groups,
            f"{rival}By package:",
            table(("nDCG@10", "files", *names), packages),
            "One part of the ranking left out at a time:",
            ablation(msgspec.to_builtins(figures.parts)),
        )
    )


def _group(label: str, one: Group) -> tuple[str, ...]:
    systems = one.systems.values()
    rows = [("all", *(f"**{system.ndcg_10:.3f}**" for system in systems))]
    for name, kinds in (("sentences", SENTENCES), ("names", NAMES)):
        asked = {kind: one.questions[kind] for kind in kinds if kind in one.questions}
        means = (f"{_mean(system, asked):.3f}" for system in systems)
        rows.append((f"{name} ({sum(asked.values())})", *means))
    rows += [
        (f"{kind} ({count})", *(f"{system.kinds[kind]:.3f}" for system in systems))
        for kind, count in one.questions.items()
    ]
    rows.append(("files of ten results", *(f"{system.distinct:.1f}" for system in systems)))
    pairs = [
        (pair, *(f"{c.difference:+.3f} ({c.low:+.3f} to {c.high:+.3f})" for c in of.values()))
        for pair, of in one.differences.items()
    ]
    count = sum(one.questions.values())
    return (
        f"{label.capitalize()} ({one.packages}), {count} questions:",
        table(("nDCG@10", *one.systems), rows),
        "Differences, with the range of 95 % of the means of resampled questions:",
        table(("nDCG@10", *next(iter(one.differences.values()))), pairs),
    )


def _mean(system: System, asked: Mapping[str, int]) -> float:
    """nDCG@10 of some kinds of questions together, each question counted once."""
    return sum(system.kinds[kind] * of for kind, of in asked.items()) / sum(asked.values())
