"""Reports have everything in them: no network, no script, no link that leads nowhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from pincite.evals.analysis.measures import DEFAULT_MEASURES
from pincite.evals.golden.questions import GoldenQuery, GoldenSet
from pincite.evals.report import render
from pincite.evals.report.svg import curves, histogram, lines
from pincite.evals.run.results import Run
from pincite.profile import Profile
from pincite.support.fields import replace
from tests.evals.builders import GOLDEN, hybrid, result, run_of, subject_of, take

VOID = {"meta", "br"}


class Page(HTMLParser):
    """Checks that what is opened is closed, and collects what could reach outside."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.counts: dict[str, int] = {}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def runs() -> tuple[Run, Run]:
    profile = Profile()
    other = replace(profile, fuse=replace(profile.fuse, method="rrf"))
    return take(hybrid(), label="general"), take(hybrid(), profile=other, label="<rrf> & more")


def test_a_page_needs_nothing_but_itself(runs: tuple[Run, Run]) -> None:
    text = render(runs, "html", DEFAULT_MEASURES)
    page = Page(text)
    assert page.counts["svg"] >= 8  # recall, scores, latency, two of refusals, for two runs
    assert not {"script", "img", "link", "iframe"} & page.counts.keys()
    assert "http" not in text
    assert "url(" not in text
    ids = {value for _, name, value in page.attributes if name == "id"}
    links = [value for tag, name, value in page.attributes if tag == "a" and name == "href"]
    assert links
    assert all(link.removeprefix("#") in ids for link in links)
    assert len(links) == 3


def test_a_page_says_what_was_asked_and_escapes_it(runs: tuple[Run, Run]) -> None:
    text = render(runs, "html", ("nDCG@10", "R@5", "RR"))
    assert "&lt;rrf&gt; &amp; more" in text
    assert "<rrf>" not in text
    for query in GOLDEN.queries:
        assert query.query in text
    assert "retrieve.dense" in text
    assert "Thresholds, learned and as they are" in text
    assert "coverage_normalised.weak_at" in text


def test_the_same_runs_give_the_same_bytes(runs: tuple[Run, Run]) -> None:
    for form in ("html", "md", "json"):
        assert render(runs, form, ("RR",)) == render(runs, form, ("RR",))


def test_markdown_and_json_have_the_same_figures(runs: tuple[Run, Run]) -> None:
    text = render(runs, "md", ("RR", "R@5"))
    value = json.loads(render(runs, "json", ("RR", "R@5")))
    assert [one["label"] for one in value["stamps"]] == ["general", "<rrf> & more"]
    mean = value["summaries"][0]["measures"]["RR"]["mean"]
    assert re.search(rf"\| RR +\| +{mean:.3f} \[", text)
    assert "## Runs compared" in text
    assert value["calibrations"][0]["far"] == 2


def test_a_run_without_off_topic_questions_or_answers_has_a_page() -> None:
    golden = GoldenSet("g", (GoldenQuery("q", "keys?"),))
    run = take(subject_of(hybrid().deps.collections[0], golden), golden)
    for form in ("html", "md", "json"):
        assert "keys?" in render([run], form, ("RR",)) or form != "html"
    assert "not measured" in render([run], "html", ("RR",))
    Page(render([run_of(result("a"))], "html", ("RR",)))


def test_plots_place_values_where_they_belong() -> None:
    plot = lines({"R@5": [0.0, 1.0]}, ["first", "second"], "t")
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', plot)]
    assert heights == [196.0, 10.0]  # of 250, with the names below
    assert "R@5, second: 1.000" in plot
    bars = histogram({"a": [0.0, 0.0, 1.0]}, "t", "x", {"edge": 0.5}, bins=2)
    assert "a: 67%" in bars
    assert "a: 33%" in bars
    assert histogram({"a": []}, "t", "x") == ""
    curve = curves({"a": [(0, 0), (1, 1)]}, {"a": (0.5, 0.5)}, "t", "x", "y")
    assert "a: y 0.50, x 0.50" in curve
