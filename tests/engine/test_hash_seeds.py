"""A search does not depend on the seed of Python's hashes, which differs between processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pincite import Pincite
from tests.environment import clean_environment

#: The search runs in this process, because a detailed trace is asked for.
SEARCH = """
import sys, time
from pincite import Pincite, Trace
with Pincite(sys.argv[1]) as pincite:
    pack = pincite.search("load_catx", trace=Trace(time.perf_counter))
print([one.message for one in pack.warnings if one.code == "similar_name"])
print([one.symbols for one in pack.evidence], pack.verdict.reason)
"""


def test_of_several_names_that_are_as_near_the_first_of_the_passage_is_suggested(
    tmp_path: Path,
) -> None:
    names = [f"load_cat{letter}" for letter in "sehnby"]
    (tmp_path / "src").mkdir()
    text = "".join(f"def {name}(a):\n    return a\n\n\n" for name in names)
    (tmp_path / "src" / "cats.py").write_text(text, encoding="utf-8")
    said = set()
    with Pincite(tmp_path / "index") as pincite:
        pincite.index(tmp_path / "src", lexical=True)
        for seed in range(3):
            done = subprocess.run(
                [sys.executable, "-c", SEARCH, str(tmp_path / "index")],
                env={**clean_environment(), "PYTHONHASHSEED": str(seed)},
                capture_output=True,
                text=True,
                check=True,
            )
            said.add(done.stdout)
        pincite.stop()
    (only,) = said
    assert "did you mean load_cats?" in only
