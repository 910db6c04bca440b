"""A parser stops before a broken text takes gigabytes, if its process must go on."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path
from types import FrameType

import pytest

from pincite.chunkers.code.grammars import GRAMMARS
from pincite.chunkers.code.parsing import NeedsLimits, _Steps, _tokens, cautious, parse
from tests.chunkers.broken import broken

ROOT = Path(__file__).parents[2]
#: Lines that take the square of their number. With other names for each {}, they do not repeat
#: themselves.
BROKEN = {"c": "- {}( <{}>", "go": "- {}( <{}>", "java": "{} =>", "python": "/* /* {}"}


@pytest.mark.parametrize(
    ("language", "behind"),
    [*((language, "") for language in BROKEN), *((one, "a word ") for one in ("c", "go", "java"))],
)
def test_a_text_that_would_take_gigabytes_is_stopped(language: str, behind: str) -> None:
    """Also behind a long comment, whose words take hardly any steps."""
    comment = f"/* {behind * 15_000} */\n" if behind else ""
    text = comment + broken(BROKEN[language], 40_000)
    program = f"""
import sys
from pincite.chunkers.code.grammars import GRAMMARS, load
from pincite.chunkers.code.parsing import NeedsLimits, _Steps, _tokens, cautious, parse
from pincite.support.processes.process_limits import limit_process
load(GRAMMARS[{language!r}])
limit_process(600_000_000)
text = sys.stdin.buffer.read()
with cautious():
    try:
        parse(GRAMMARS[{language!r}], text)
    except NeedsLimits:
        print("stopped")
"""
    asked = [sys.executable, "-c", program]
    done = subprocess.run(asked, input=text.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, b"stopped")


@pytest.mark.parametrize("language", BROKEN)
def test_a_small_one_is_parsed_anywhere_and_alike(language: str) -> None:
    text = broken(BROKEN[language], 1_000).encode()
    with cautious():
        careful = parse(GRAMMARS[language], text)
    tree = parse(GRAMMARS[language], text)
    assert tree is not None
    assert careful is not None
    assert str(careful.root_node) == str(tree.root_node)


def stopped_at(language: str, tokens_a_report: int, *, behind: int = 20_000) -> int | None:
    """The place of the token at which a parser is stopped that goes through a comment of so many
    words quickly, and then reports once for so many tokens; None if it is not."""
    end = behind + 20_000
    with cautious():
        steps = _Steps(GRAMMARS[language], b"word " * end)
    places = [*range(0, behind, 200), *range(behind, end, tokens_a_report)]
    return next((one for one in places if steps.too_many(5 * one)), None)


@pytest.mark.parametrize("language", ["c", "cmake"])
def test_a_part_counts_by_the_steps_that_its_language_takes(language: str) -> None:
    """.05 reports for each token, and four times as many as CMake: of a window of 180 reports."""
    limit = 20 if language == "c" else 5
    assert stopped_at(language, limit + 1) is None
    found = stopped_at(language, limit - 1)
    assert found is not None
    assert 20_000 < found < 20_000 + 2 * 180 * limit


def test_a_parser_that_stays_where_it_is_is_stopped() -> None:
    with cautious():
        steps = _Steps(GRAMMARS["c"], b"word " * 20_000)
    assert any(steps.too_many(50) for _ in range(200))


def test_tokens_are_runs_of_word_characters_or_of_signs() -> None:
    chance = random.Random(1)
    token = re.compile(rb"[\w\x80-\xff]+|[^\w\s\x80-\xff]+")
    for _ in range(500):
        text = bytes(chance.choices([*range(256), *b"   aa..__"], k=chance.randrange(40)))
        assert _tokens(text) == len(token.findall(text))


def test_a_process_with_limits_goes_on() -> None:
    text = broken(BROKEN["java"], 5_000).encode()
    assert parse(GRAMMARS["java"], text) is not None
    with cautious(), pytest.raises(NeedsLimits):
        parse(GRAMMARS["java"], text)
    assert parse(GRAMMARS["java"], text) is not None


def test_the_files_of_this_project_are_not_stopped() -> None:
    with cautious():
        for path in sorted((ROOT / "src").rglob("*.py")):
            assert parse(GRAMMARS["python"], path.read_bytes()) is not None


def test_steps_after_the_end_of_a_text_do_not_count() -> None:
    """To balance the tree of a list takes as many steps as to parse it."""
    text = b"x = [\n" + b"1,\n" * 20_000 + b"]\n" + b"\n" * 1_000
    with cautious():
        assert parse(GRAMMARS["python"], text) is not None


def test_the_text_of_a_node_is_read_in_whole_after_parsing() -> None:
    names = [f"{letter * length}_{length}" for letter in "aé" for length in (1, 62, 63, 64, 300)]
    source = "".join(f"def {name}():\n    return '{name}'\n\n" for name in names).encode()
    tree = parse(GRAMMARS["python"], source)
    assert tree is not None
    nodes = [tree.root_node]
    for node in nodes:
        assert node.text == source[node.start_byte : node.end_byte]
        nodes += node.children
    assert len(nodes) > 10 * len(names)


def test_the_text_of_a_large_node_is_read_in_few_parts() -> None:
    """The time grows with the square of their number: in parts of 64 bytes, a minute."""
    source = b"x = 1\n" * 700_000
    tree = parse(GRAMMARS["python"], source)
    assert tree is not None
    reads = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal reads
        reads += event == "call" and frame.f_code.co_name == "slice_from"

    sys.setprofile(count)
    try:
        assert tree.root_node.text == source
    finally:
        sys.setprofile(None)
    assert 0 < reads < 20
