"""Quantiles of times, and what `/proc` says of a process: its memory and processor time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.evals.analysis.statistics import median, quantile


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds."""

    p50: float
    p95: float
    max: float
    count: int


def times(values: Sequence[float]) -> Times:
    """Their quantiles."""
    return Times(
        p50=round(median(values), 2),
        p95=round(quantile(values, 0.95), 2),
        max=round(max(values, default=0.0), 2),
        count=len(values),
    )


def memory_of(pid: int) -> dict[str, float]:
    """Megabytes by the names in `/proc/PID/status`: VmRSS is all, RssAnon not backed by files."""
    found = {}
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if value.endswith(" kB"):
            found[name] = round(int(value.split()[0]) * 1024 / 1e6, 1)
    return found


def cpu_s(pid: int) -> float:
    """Processor time that a process has used, in user and system mode together."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
