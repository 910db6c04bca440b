"""Pages that quote figures of `code_search` and `docstrings` have those of the latest run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bench.source_code.docstrings_table import docstrings

ROOT = Path(__file__).parents[2]
SYSTEMS = ("lexical", "hybrid", "semble")
SUBJECTS = json.loads((ROOT / "bench/results/latest.json").read_text())["subjects"]
FIGURES: dict[str, Any] = SUBJECTS["code_search"]["figures"]["systems"]


def row(page: str, begins: str) -> list[str]:
    """The numbers of a row of a table, without bold letters and the version of semble."""
    lines = (
        (ROOT / page).read_text().replace("**", "").replace("semble 0.7.0", "semble").split("\n")
    )
    (found,) = [line for line in lines if line.startswith(f"| {begins}")]
    return re.findall(r"\d*\.?\d+", found.removeprefix(f"| {begins}"))


def share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def seconds(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def of_each(key: str) -> list[float]:
    return [FIGURES[system][key] for system in SYSTEMS]


def test_the_readme_quotes_the_latest_run() -> None:
    repositories = "code, 361 questions on 18 repositories"
    assert row("README.md", repositories) == [*map(share, of_each("ndcg_10"))]
    assert row("README.md", "the same questions, time of one") == [
        f"{v:.1f}" for v in of_each("query_p50_ms")
    ]
    assert row("README.md", "the same repositories, time to index") == [
        *map(seconds, of_each("index_s"))
    ]


@pytest.mark.parametrize(
    ("begins", "key", "form"),
    [
        ("files found in 18 repositories, nDCG@10, no model", "ndcg_10", share),
        ("a question, p50", "query_p50_ms", "{:.1f}".format),
        ("an index of all, from nothing", "index_s", seconds),
        ("files among ten results", "distinct", "{:.1f}".format),
    ],
)
def test_the_comparison_quotes_the_latest_run(begins: str, key: str, form: Any) -> None:
    *ours, semble = of_each(key)
    assert row("docs/comparison.md", begins) == [form(semble), *map(form, ours)]


@pytest.mark.parametrize(
    ("begins", "names"),
    [
        ("of these, C++, Swift", ("cpp", "swift")),
        ("of these, Go, Ruby, C#", ("go", "ruby", "csharp")),
    ],
)
def test_the_comparison_quotes_the_languages_of_the_latest_run(
    begins: str, names: tuple[str, ...]
) -> None:
    order = ("semble", "lexical", "hybrid")
    expected = [share(FIGURES[system]["languages"][name]) for system in order for name in names]
    assert row("docs/comparison.md", begins) == expected


def test_figures_of_removed_sentences_are_those_of_the_table() -> None:
    page = docstrings(SUBJECTS["docstrings"]["figures"]).splitlines()
    line = next(line for line in page if line.startswith("| sentences (270)"))
    ours, _, semble = (cell.strip().removeprefix("0") for cell in line.strip("|").split("|")[1:])
    removed = "code, 270 sentences from removed documentation, 18 other packages"
    assert row("README.md", removed) == [ours, semble]
    other = "sentences of 18 packages that no setting was chosen with"
    assert row("docs/comparison.md", other) == [semble, ours]


def test_the_limits_quote_the_latest_run() -> None:
    text = " ".join((ROOT / "docs/limits.md").read_text().split())
    lexical, hybrid, _ = (f"{value:.0f} s" for value in of_each("index_s"))
    assert f"18 repositories took {lexical} without a model and {hybrid} with" in text
