"""Colours of texts that somebody else wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.surfaces.page.colour_child import coloured
from pincite.surfaces.page.colours import Busy, Colours, Line, Rendered

T = TypeVar("T")


def text_of(lines: list[list[tuple[str, str]]]) -> str:
    """The text that lines are of."""
    return "\n".join("".join(piece for _, piece in line) for line in lines)


@settings(max_examples=60)
@given(
    st.sampled_from(["python", "markdown", "html", "json", "bash", "nonsense", ""]),
    st.text(st.characters(exclude_characters="\r\ufeff", codec="utf-8"), max_size=200),
)
def test_pieces_of_lines_are_the_text(language: str, text: str) -> None:
    assert text_of(coloured(language, "notes", text)) == text


def test_what_takes_too_long_comes_back_in_one_colour_and_the_next_text_is_coloured() -> None:
    async def asked() -> tuple[Line, Line]:
        hasty, patient = Colours(0.0, 0.0), Colours(60.0)
        try:
            late = await hasty.of("").lines("python", "a.py", "def f(): ...")
            done = await patient.of("").lines("python", "a.py", "def f(): ...")
        finally:
            await hasty.close()
            await patient.close()
        return late[0], done[0]

    late, done = asyncio.run(asked())
    assert list(late) == [("", "def f(): ...")]
    assert done[0] == ("keyword", "def")


def test_a_module_in_the_folder_of_the_command_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pygments", "json", "resource", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)

    async def asked() -> Line:
        colours = Colours(60.0)
        try:
            return (await colours.of("").lines("python", "a.py", "def f(): ..."))[0]
        finally:
            await colours.close()

    assert asyncio.run(asked())[0] == ("keyword", "def")
    assert not (tmp_path / "ran").exists()


def test_a_text_that_its_lexer_changes_or_cannot_take_comes_back_as_it_is() -> None:
    async def asked(text: str) -> str:
        colours = Colours(60.0)
        try:
            found = await colours.of("").lines("python", "a.py", text)
        finally:
            await colours.close()
        return "\n".join("".join(piece for _, piece in line) for line in found)

    for text in ("\ufeffx = 1\n", "a\rb", "\x00\x1b[31m", "\ud800", "x" * 400_000, ""):
        assert asyncio.run(asked(text)) == text


#: A lexer of Java needs minutes for it.
SLOW = "a " * 60_000
HOSTILE = {
    "quotes": ">" * 50_000 + "a",
    "lists": "\n".join("  " * n + "- a" for n in range(500)),
    "emphasis": "*a " * 60_000,
    "brackets": "![[" * 60_000,
    "ticks": "".join("`" * n + "a" for n in range(700)),
    "table": "|a" * 3_000 + "|\n" + "|-" * 3_000 + "|\n" + ("|1" * 3_000 + "|\n") * 40,
    "names": "[a]: b\n" * 20_000 + "[a]" * 20_000,
    "nothing": "\x00\u202e\ud800",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markdown_comes_back_small_or_not_at_all(name: str) -> None:
    async def asked() -> tuple[Rendered | None, Rendered | None]:
        colours = Colours(2.0, 60.0)
        try:
            first = await colours.of("").markdown("a\n", (0, 1), (0, 1))
            return first, await colours.of("").markdown(HOSTILE[name], (0, 10**6), (0, 10**6))
        finally:
            await colours.close()

    first, hostile = asyncio.run(asked())
    assert first is not None
    assert hostile is None or len(msgspec.json.encode(hostile)) < 4_000_000


def drawn(text: str, patience_s: float = 60.0) -> list[object]:
    """The tree of Markdown, from a process that has started."""

    async def asked() -> Rendered | None:
        colours = Colours(patience_s, 60.0)
        try:
            return await colours.of("").markdown(text, (0, 10**6), (0, 10**6))
        finally:
            await colours.close()

    found = asyncio.run(asked())
    assert found is not None
    return found.nodes


def test_code_in_markdown_has_the_colours_of_files() -> None:
    block = drawn("```python\ndef f(): ...\n\nx = 1\n```\n")
    (line, empty, _) = block[0][2]  # type: ignore[index]
    assert line[2][0] == ["coloured", {"kind": "keyword"}, ["def"]]
    assert empty == ["line", {"cited": True}, []]
    assert "coloured" not in str(drawn("```unknown\ndef f(): ...\n```\n\n    def f(): ...\n"))


def test_markdown_whose_code_takes_too_long_is_rendered_without_colours() -> None:
    text = f"# Java\n\n```java\n{SLOW}\n```\n\n*last*\n"
    assert "coloured" not in str(nodes := drawn(text, 1.0))
    assert [one[0] for one in nodes] == ["h1", "pre", "p"]  # type: ignore[index]


def test_a_text_does_not_wait_long_for_those_of_others() -> None:
    async def asked() -> tuple[Line, Line]:
        colours = Colours(60.0, 60.0, turn_s=0.0)
        try:
            first, second = await asyncio.gather(
                colours.of("anna").lines("python", "a.py", "def f(): ..."),
                colours.of("bert").lines("python", "b.py", "def g(): ..."),
            )
        finally:
            await colours.close()
        return first[0], second[0]

    first, second = asyncio.run(asked())
    assert tuple(first[0]) == ("keyword", "def")
    assert [tuple(piece) for piece in second] == [("", "def g(): ...")]


@pytest.mark.parametrize("late_s", [60.0, 0.0])
def test_a_slow_text_of_a_user_leaves_others_their_colours(late_s: float) -> None:
    """As long as the user counts as late: then the text is in a process of its own."""

    async def asked() -> list[Line]:
        colours = Colours(3.0, 60.0, turn_s=1.0, late_s=late_s)
        mallory = colours.of("mallory")
        try:
            await mallory.lines("java", "a.java", SLOW)
            slow = asyncio.create_task(mallory.lines("java", "a.java", SLOW))
            await asyncio.sleep(0.2)  # it has its process
            found = await colours.of("anna").lines("python", "a.py", "def f(): ...")
            assert not slow.done()
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
        finally:
            await colours.close()
        return list(found)

    kind, _ = asyncio.run(asked())[0][0]
    assert kind == ("keyword" if late_s else "")


def test_markdown_that_has_no_turn_waits_once() -> None:
    asked: list[object] = []

    class Taken(Colours):
        """Other texts never end."""

        async def ask(self, user: str, asking: Mapping[str, Any], kind: type[T]) -> T | None:
            asked.append(asking["coloured"])
            raise Busy

    assert asyncio.run(Taken().of("anna").markdown("# A\n", (0, 1), (0, 1))) is None
    assert asked == [True]
