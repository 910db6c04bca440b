"""Programs in the languages whose grammars came later: what they define, and that they are cut
exactly, whatever becomes of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.chunkers.code.find_definitions import find_definitions
from pincite.chunkers.code.grammars import Grammar, grammar_for
from pincite.chunkers.code.parsing import Parsed, parse
from pincite.readers import file_type
from tests.chunkers.definitions import DEFINITIONS
from tests.chunkers.laws import lawful_chunks

PROGRAMS = Path(__file__).parent / "programs"
COMPONENTS = {
    "Cart.vue": [("interface Line {", "Line"), ("function remove(", "remove"),
                 ("const addLine =", "addLine"), (".cart {", ".cart")],
    "Clock.svelte": [("export function pad(", "pad"), ("class Ticker {", "Ticker"),
                     ("start(tick) {", "start"), ("function update() {", "update")],
}  # fmt: skip
NAMES = sorted([*DEFINITIONS, *COMPONENTS])
MARKS = st.sampled_from(
    ["{", "}", "(", ")", "[", "]", '"', "'", "`", "\0", "\n", "/*", "*/", "--", "#", "<", "end",
     "$$", "@", "é🦜", ";", ":", "=", "\\", "\r\n", "<<EOF\n", "%{", "|", "\n=cut\n", "(*", "#|",
     '"""', "${", "</script>", "<script>\n", "\ufeff"]
)  # fmt: skip


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_have_their_names_and_lines(name: str) -> None:
    text = (PROGRAMS / name).read_text(encoding="utf-8")
    assert text.count("\n") >= 30
    grammar = _grammar(name)
    tree = parse(grammar, text.encode())
    assert tree is not None
    assert not tree.root_node.has_error
    found = find_definitions(Parsed(tree), grammar, text.splitlines()).all
    assert [
        f"{each.first + 1}-{each.last + 1} {' '.join(each.path)}{'' if each.symbol else ' *'}"
        for each in found
    ] == [one.strip() for one in DEFINITIONS[name].split(";")]
    chunks = lawful_chunks(name, text)
    named = {symbol for chunk in chunks for symbol in chunk.symbols}
    assert {each.symbol for each in found if each.symbol} <= named
    assert all(symbol.split(".")[-1] in text for symbol in named)


@pytest.mark.parametrize("name", COMPONENTS)
def test_scripts_and_styles_of_components_are_cut_as_what_they_are(name: str) -> None:
    chunks = lawful_chunks(name, (PROGRAMS / name).read_text(encoding="utf-8"))
    for line, symbol in COMPONENTS[name]:
        (holder,) = (chunk for chunk in chunks if line in chunk.text)
        assert symbol in holder.symbols


def test_a_component_may_be_broken_anywhere() -> None:
    for text in (
        "<script>",
        "<script\n",
        "<script lang='ts'\n  setup\n>\nfunction a(): void {}\n",
        "<script>const a = 1</script>\n<p>{a}</p>\n",
        "<script src='a.js' />\n<p/>\n",
        "<style lang='scss'>\na { b { c: d } }\n</style>\n<style>\n</style>\n",
        "</script>\n<script>\n</script>\n</script>\n",
    ):
        for name in ("a.vue", "a.svelte"):
            lawful_chunks(name, text)
    chunks = lawful_chunks("a.vue", "<script lang='ts'\n  setup\n>\nfunction a(): void {}\n")
    assert chunks[-1].symbols == ("a",)


def test_a_component_is_cut_by_its_first_100_blocks() -> None:
    scripts = (f"<script>\nfunction f{number}() {{}}\n</script>\n" for number in range(101))
    found = {name for chunk in lawful_chunks("a.vue", "".join(scripts)) for name in chunk.symbols}
    assert found == {f"f{number}" for number in range(100)}


@given(st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_program_that_is_changed_anywhere_is_cut_exactly_and_wholly(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES))
    text = (PROGRAMS / name).read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 5))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 60)))
        text = text[:begin] + data.draw(MARKS) + text[end:]
    lawful_chunks(name, text)


@pytest.mark.parametrize("name", NAMES)
def test_no_parser_crashes_on_what_is_broken(name: str) -> None:
    """In a process of its own: a parser that crashes takes the process with it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.chunkers.mutilate", str(PROGRAMS / name), "200"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _grammar(name: str) -> Grammar:
    found = file_type(name)
    assert found is not None
    grammar = grammar_for(found.language, name)
    if grammar is None:
        pytest.skip("needs the extra `languages`")
    return grammar
