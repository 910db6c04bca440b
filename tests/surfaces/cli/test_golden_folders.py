"""Three questions of `docs/local.md` with their answers: in the description of a folder, in a
transcript, and in passages that are put together; each is explained by `pincite explain`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.evals.golden.questions import read_golden
from tests.surfaces.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs/local.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n## Three questions, explained\n")[1].split("\n## ")[0]
GOLDEN = SECTION.split("```json\n")[1].split("```")[0]
CONFIG = SECTION.split("```toml\n")[1].split("```")[0]
LINE = "When the lamp is lit, write the hour and the wind into the log, then trim the wick."
PATIENCE = "\nThe wick of the lamp takes patience, and a pair of scissors that is sharp."
FILES = {
    "harbour/night/duties.md": "# Duties\n\nThe lamp is lit at eight, and the log is written.\n",
    "harbour/day/duties.md": "# Duties\n\nThe flag is raised at seven, and the quay is swept.\n",
    "harbour/lamp.md": "# Trimming the wick of the lamp\n\n"
    + "\n\n".join(f"{n}. {LINE} {PATIENCE * 8}" for n in range(6))
    + "\n",
    "chats/2026-11-02.md": "---\nsession: k7\ndate: 2026-11-02\n---\n\n"
    "**User:** Why did we drop the cache of tides?\n\n"
    "**Assistant:** We dropped the cache of tides as it was stale after every storm.\n",
    "chats/boats.md": "# Boats\n\nA boat is tied up with two ropes.\n",
}


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The folder of the page, indexed as it says."""
    cli = Cli(tmp_path_factory.mktemp("harbour"))
    for path, text in FILES.items():
        cli.write(path, text)
    cli.write("pincite.toml", CONFIG)
    cli("index", "--lexical")
    return cli


def stages_of(harbour: Cli, question: str, *options: str) -> dict[str, Any]:
    return {one["stage"]: one for one in harbour.json("explain", question, *options)}


def test_the_questions_are_those_of_a_golden_set_and_their_items_come_first(harbour: Cli) -> None:
    harbour.write("golden.jsonl", GOLDEN)
    golden = read_golden(harbour.folder / "golden.jsonl")
    assert [one.category for one in golden.queries] == ["folder", "transcript", "merged"]
    for one in golden.queries:
        found = harbour.json("search", one.text)["evidence"]
        assert found[0]["path"] == one.expected[0].path, one.text
        assert found[0]["start_line"] <= (one.expected[0].start_line or 0)
        assert found[0]["truth"] == "fresh"
    done = harbour("eval", "run", "golden.jsonl", "-o", "run.json", "-m", "RR@10")
    assert json.loads((harbour.folder / "run.json").read_text())["queries"]
    assert "RR@10" in done.stdout + done.stderr


def test_the_answer_of_a_folder_is_found_by_its_description_and_explain_says_so(
    harbour: Cli,
) -> None:
    question = json.loads(GOLDEN.splitlines()[0])["query"]
    said = "For the keeper of the lighthouse"
    best = harbour.json("search", question)["evidence"][0]
    assert best["descriptions"] == [said]
    assert "lighthouse" not in best["text"]
    stages = stages_of(harbour, question)
    assert "harbour/night/duties.md" in stages["load"]["candidates"][0]["place"]
    assert stages["load"]["candidates"][0]["signals"][0]["name"] == "sparse"
    assert f"harbour/night/duties.md is in '{said}'" in stages["look"]["summary"]


def test_the_answer_of_a_transcript_is_cited_by_its_lines_and_has_its_session(harbour: Cli) -> None:
    question = json.loads(GOLDEN.splitlines()[1])["query"]
    best = harbour.json("search", question, "--where", "role = 'assistant'")["evidence"][0]
    assert best["attributes"]["session"] == "k7"
    assert (best["start_line"], best["end_line"]) == (6, 8)
    stages = stages_of(harbour, question, "--where", "role = 'assistant'")
    assert [one["place"] for one in stages["load"]["candidates"]] == ["chats/2026-11-02.md#L6-L8"]
    assert stages["look"]["summary"] == "1 fresh"


def test_the_answer_of_a_merged_span_is_the_file_and_explain_names_its_members(
    harbour: Cli,
) -> None:
    question = json.loads(GOLDEN.splitlines()[2])["query"]
    best = harbour.json("search", question, "-n", "12", "--context", "none")["evidence"][0]
    lines = (harbour.folder / "harbour/lamp.md").read_text().split("\n")
    assert "\n".join(lines[best["start_line"] - 1 : best["end_line"]]) == best["text"]
    assert best["end_line"] - best["start_line"] >= 2
    stages = stages_of(harbour, question, "-n", "12", "--context", "none")
    reasons = [one["reason"] for one in stages["optimise"]["dropped"]]
    assert any(reason.startswith("merged") for reason in reasons), reasons


def test_it_ends_with_its_daemon(harbour: Cli) -> None:
    harbour("stop")
