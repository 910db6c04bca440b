from __future__ import annotations

from pathlib import Path

import markdown
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.readers.includes import Expanded, expand_includes
from tests.counting import grows_in_proportion

CODE = """\
import one
# --8<-- [start:setup]
agent = make(one)
# --8<-- [end:setup]
# --8<-- [start:run]
agent.run()
# --8<-- [end:run]
# --8<-- [start:setup]
never shown
# --8<-- [end:setup]
"""
FILES = {
    "code.py": CODE,
    "part.md": 'A part.\n\n--8<-- "code.py:run"\n',
    "loop.md": 'Again:\n--8<-- "loop.md"\nover\n',
    "empty.md": "",
}


def expand(text: str) -> Expanded:
    return expand_includes(text, FILES.get)


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("code.py:setup", "agent = make(one)"),
        ("code.py:1:1", "import one"),
        ("code.py::1", "import one"),
        ("code.py:6:6", "agent.run()"),
        ("code.py:1:1,6:6", "import one\nagent.run()"),
        ("code.py", "import one\nagent = make(one)\nagent.run()\nnever shown"),
        ("part.md", "A part.\n\nagent.run()"),
    ],
)
def test_a_line_shows_what_the_site_shows(tmp_path: Path, target: str, shown: str) -> None:
    assert expand(f'Before\n\n--8<-- "{target}"\n').texts == {2: shown}
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    page = markdown.Markdown(
        extensions=["pymdownx.snippets"],
        extension_configs={"pymdownx.snippets": {"base_path": [str(tmp_path)]}},
    )
    lines = [f'--8<-- "{target}"']
    for each in page.preprocessors:
        if type(each).__name__ == "SnippetPreprocessor":
            assert "\n".join(each.run(lines)).rstrip("\n") == shown
            return
    pytest.fail("the generator has no snippets")


def test_a_block_names_several_files_and_the_indent_is_kept() -> None:
    names = "    code.py:run\n    ; code.py:setup\n    part.md\n"
    text = f'=== "Python"\n\n    --8<--\n{names}    --8<--\n'
    assert expand(text).texts == {3: "    agent.run()", 5: "    A part.\n\n    agent.run()"}


def test_what_gives_nothing_is_named_and_escaped_marks_are_none() -> None:
    text = (
        '--8<-- "gone.py"\n;--8<-- "code.py"\n--8<-- "code.py:gone"\n--8<-- "empty.md"\n'
        '--8<-- "https://x.org/a.md"\nwords --8<-- "code.py"\n'
    )
    found = expand(text)
    assert found.texts == {}
    assert found.missing == ("gone.py", "code.py:gone", "empty.md", "https://x.org/a.md")
    assert found.files == ("gone.py", "code.py", "empty.md")


def test_a_file_that_shows_itself_ends() -> None:
    found = expand('--8<-- "loop.md"\n')
    assert found.texts == {0: 'Again:\n--8<-- "loop.md"\nover'}
    assert found.missing == ("loop.md",)


def test_what_gives_nothing_again_and_again_is_named_once() -> None:
    page = '--8<-- "page.md"\n--8<-- "gone.md"\n' * 200
    found = expand_includes(page, {"page.md": page}.get)
    assert found.missing == ("page.md", "gone.md")


@given(st.text('-8<:;,"\n az[].1', max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_expanded(text: str) -> None:
    assert set(expand_includes(text, {"a": text}.get).texts) <= set(range(text.count("\n") + 1))


@pytest.mark.parametrize("part", ["-", ";", "-8<-", ":1"])
def test_hostile_lines_are_read_once(part: str) -> None:
    def expand(size: int) -> None:
        text = part * (size // len(part))
        expand_includes(f'{text} -8<-\n--8<-- "{text}"\n', {"a": text}.get)

    assert grows_in_proportion(expand, 25_000)


def test_files_that_multiply_each_other_are_not_read_for_ever() -> None:
    def lines(name: str) -> str:
        return f'--8<-- "{name}"\n' * 2_000

    files = {"a": lines("b"), "b": lines("c"), "c": lines("d"), "d": "x\n", "big": "y\n" * 500_000}
    files["e"] = f"--8<-- [start:z]\nz\n--8<-- [end:z]\n{files['big']}"
    asked: list[str] = []

    def read(name: str) -> str | None:
        asked.append(name)
        return files.get(name)

    found = expand_includes(lines("a"), read)  # 2,000 to the power of four
    assert len(asked) < 20_000
    assert all(len(text) <= 20_000 for text in found.texts.values())
    assert found.texts[0].startswith("x\nx\n")
    asked.clear()
    expand_includes(lines("e:z"), read)
    assert len(asked) < 10
