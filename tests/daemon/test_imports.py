"""What a daemon imports before it answers, as it starts with the first run of indexing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STARTS = (
    "import pincite.daemon.server.listener, pincite.daemon.server.service\n"
    "import pincite.index.store_of_folder"
)
STORE = "import pincite.stores.qdrant_edge.store"


@pytest.mark.parametrize(
    "heavy",
    [
        *("numpy", "pincite.search", "pincite.profile", "pincite.readers"),
        *("pincite.settings.file.layers", "tomllib", "ctypes"),
    ],
)
def test_a_daemon_starts_without(heavy: str) -> None:
    said = f"{STARTS}\n{STORE}\nimport sys; print({heavy!r} in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


QUESTIONS = """
import re
from pincite.questions import frames, relations, routes, versions
from pincite.support import names

def patterns(module):
    held = [value for value in vars(module).values()]
    return [one for value in held for one in (value if isinstance(value, tuple) else (value,))]

of_questions = [one for each in (frames, relations, routes) for one in patterns(each)]
of_questions += [names._PLACE, versions._RANGE]
late = [one for one in of_questions if type(one).__name__ == "_Late"]
compiled = [one for one in late if "search" in vars(one)]
print(len(late) > 20, compiled, [one for one in of_questions if isinstance(one, re.Pattern)])
"""


def test_a_daemon_starts_without_the_patterns_of_questions() -> None:
    said = f"{STARTS}\n{STORE}\n{QUESTIONS}"
    ran = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert ran.stdout == "True [] []\n"


WRITTEN = """
import asyncio, sys
from pathlib import Path
from pincite.daemon.server.service import Daemon, import_numpy
from pincite.model import CollectionSpec

async def main(root):
    daemon = Daemon(root, root, lambda *_: None)
    await daemon.open()
    await daemon.create(CollectionSpec("main", "words", "chunks"))
    await daemon.settle("main")
    print("numpy" in sys.modules)
    try:
        await daemon.ask(None)
    except AttributeError:  # nobody asks so; what a question needs is there all the same
        print("numpy" in sys.modules)
    await daemon.close()

asyncio.run(main(Path(sys.argv[1])))
"""


def test_an_index_by_word_is_written_without_numpy_and_the_first_question_brings_it(
    tmp_path: Path,
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WRITTEN, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "False\nTrue\n"
