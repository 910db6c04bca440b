"""An index that was opened before a fork: the child opens it anew, and the parent keeps its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pincite import Pincite
from pincite.support.capabilities import UNIX_SOCKETS
from tests.environment import clean_environment

pytestmark = pytest.mark.skipif(not UNIX_SOCKETS, reason="this system has no fork")

FORKS = """
import multiprocessing, os, sys
from pincite import Pincite
from pincite.errors import UsageError
from pincite.surfaces.frameworks.evidence_source import EvidenceSource

def forked(work):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        work()
        sys.exit(0)
    print(os.waitpid(pid, 0)[1])

def search():
    print(len(pincite.search("rotate")), len(source.search("rotate")))

def close():
    pincite.close()
    try:
        pincite.search("rotate")
    except UsageError as error:
        print(error.message)

pincite, source = Pincite(".pincite"), EvidenceSource(".pincite")
search()
"""
CASES = {
    "forked(lambda: None)": "1 1\n0\n1 1\n",
    "forked(search)": "1 1\n1 1\n0\n1 1\n",
    "forked(lambda: forked(search))": "1 1\n1 1\n0\n0\n1 1\n",
    "forked(close)": "1 1\nthis Pincite is closed\n0\n1 1\n",
    "forked(lambda: print([type(e).__name__ for e in pincite.answer_stream('rotate')][-1]))": (
        "1 1\nAnswer\n0\n1 1\n"
    ),
    "p = multiprocessing.get_context('fork').Process(target=search); p.start(); p.join()": (
        "1 1\n1 1\n1 1\n"
    ),
    "print(multiprocessing.get_context('fork').Pool(1).apply(len, ('abc',)))": "1 1\n3\n1 1\n",
}


@pytest.mark.parametrize("case", CASES)
def test_a_forked_process_opens_the_index_itself(case: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("# Keys\n\nTo rotate a key, call `rotate_key`.\n")
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(tmp_path / "docs", lexical=True)
    done = subprocess.run(
        [sys.executable, "-u", "-c", f"{FORKS}\n{case}\nsearch()"],
        cwd=tmp_path,
        env=clean_environment() | {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "20"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == (CASES[case], 0), done.stderr
