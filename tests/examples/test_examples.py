"""The programs in `examples/` run as they stand and say what they found, cited."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment import clean_environment

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, folder: Path, *words: str) -> str:
    found = clean_environment() | {"PINCITE_IDLE_S": "20", "PINCITE_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *words],
        cwd=folder,
        env=found,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_example_is_run_here_and_has_fewer_than_a_hundred_lines() -> None:
    programs = sorted(EXAMPLES.glob("*.py"))
    assert [one.name for one in programs] == [
        *("langchain_style.py", "llamaindex_style.py", "plain.py")
    ]
    assert all(len(one.read_text(encoding="utf-8").splitlines()) < 100 for one in programs)


def test_a_plain_program_answers_each_customer_from_its_own_tickets(tmp_path: Path) -> None:
    said = run("plain.py", tmp_path, "why does the scanner stop?")
    assert re.search(r"^uzh .*'grounded'.*\[\{'id': '8', 'title': 'Scanner stops', ", said, re.M)
    assert re.search(r"^eth .*\[\{'id': '9', 'title': 'Scanner is loud', [^{]*\}\]", said, re.M)
    assert re.search(r"^None \{'status': 400, 'error': \"tag 'customer' is None; ", said, re.M)
    assert re.search(
        r"^\[1\] records@sha256-\w+:8#char=0,74\nTitle: Scanner stops\nURL: ", said, re.M
    )
    assert "The scanner stops after ten pages since the update of its firmware to 4.2." in said
    assert run("plain.py", tmp_path, "why does the scanner stop?") == said


def test_a_chain_gets_documents_of_one_course_with_their_citations(tmp_path: Path) -> None:
    pytest.importorskip("langchain_core", reason="pip install langchain-core")
    said = run("langchain_style.py", tmp_path)
    first, second, *rest = said.splitlines()
    assert first.startswith("week-4 {'course': 'ml', 'lab': 'A2', 'week': 4, 'source': 'https://ml")
    assert second.startswith("week-3 {'course': 'ml', 'week': 3, ")
    assert "physics" not in said
    assert re.search(r"^\[records@sha256-\w+:week-4#char=0,99\]\nMomentum keeps", said, re.M)
    assert rest[-1] == "In narrow valleys, without momentum."


def test_nodes_come_back_with_scores_and_the_ids_of_what_they_are_from(tmp_path: Path) -> None:
    pytest.importorskip("llama_index.core", reason="pip install llama-index-core")
    said = run("llamaindex_style.py", tmp_path)
    everything, security, left, nothing = said.splitlines()
    assert re.match(
        r"\[\('keys-1', 1\.0\), \('keys-2', 0\.\d+\), \('piano-1', 0\.0\)\]$", everything
    )
    assert re.match(r"\[\('keys-1', 1\.0\), \('keys-2', 0\.0\)\]$", security)
    assert "'record_id': 'keys-2'" in left
    assert "keys-1" not in left
    assert nothing == "[]"
