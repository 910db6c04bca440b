"""The live view: what is typed is searched, the last answer counts, Enter opens the editor."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pexpect
import pyte
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from pincite.errors import PinciteError, UsageError
from pincite.surfaces.cli.editor import editor_words
from pincite.surfaces.cli.latest import Latest
from pincite.surfaces.cli.live import LiveView, ShownPack
from pincite.surfaces.text.table import Look
from tests.environment import clean_environment
from tests.surfaces.conftest import Cli
from tests.surfaces.packs import pack, result
from tests.time_limits import HANGS_S

DOWN, ENTER, ESCAPE = "\x1b[B", "\r", "\x1b"


class Small(DummyOutput):
    """A terminal of 80 by 24 that shows nothing."""

    def get_size(self) -> Size:
        return Size(rows=24, columns=80)


async def until(happened: Callable[[], object]) -> None:
    async with asyncio.timeout(HANGS_S):
        while not happened():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.01)


@asynccontextmanager
async def opened(
    search: Callable[[str], object], editor: str = "true"
) -> AsyncIterator[tuple[LiveView, PipeInput, asyncio.Task[None]]]:
    async def found(text: str) -> ShownPack:
        answer = search(text)
        if isinstance(answer, PinciteError):
            raise answer
        assert isinstance(answer, ShownPack)
        return answer

    with create_pipe_input() as keys, create_app_session(input=keys, output=Small()):
        view = LiveView(found, editor, stdin=keys, stdout=Small(), pause_s=0.01)
        running = asyncio.create_task(view.run())
        yield view, keys, running
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def status(view: LiveView) -> str:
    return "".join(fragment[1] for fragment in view._status())


def test_what_is_typed_is_searched_and_arrows_choose() -> None:
    results = (result(1, "a.md"), result(2, "b.md"), result(3, "a.md"))

    async def use() -> None:
        async with opened(lambda text: ShownPack(pack(*results, query=text), Look())) as (
            view,
            keys,
            _,
        ):
            keys.send_text("keys")
            await until(lambda: view.chosen)
            assert status(view) == "on topic, 3 results"
            assert view.chosen is results[0]
            keys.send_text(DOWN)
            await until(lambda: view.chosen is results[2])  # the same file comes first
            keys.send_text(DOWN * 5)
            await until(lambda: view.chosen is results[1])
            shown = "".join(fragment[1] for fragment in view._preview())
            assert shown.startswith("  3: To rotate a key")
            keys.send_text("\x15")  # the line is deleted
            await until(lambda: view.chosen is None)
            assert "Type a question" in status(view)

    asyncio.run(use())


@pytest.mark.parametrize("key", [ESCAPE, "\x03", "\x04"])
def test_escape_and_control_c_leave(key: str) -> None:
    async def use() -> None:
        async with opened(lambda text: ShownPack(pack(), Look())) as (_, keys, running):
            keys.send_text(key)
            await until(running.done)
            assert running.exception() is None

    asyncio.run(use())


def test_an_error_is_a_line_of_the_view_and_the_next_answer_takes_its_place() -> None:
    def search(text: str) -> object:
        return (
            UsageError("no\x1b[2J tags", hint="give --tag")
            if text == "a"
            else ShownPack(pack(), Look())
        )

    async def use() -> None:
        async with opened(search) as (view, keys, _):
            keys.send_text("a")
            await until(lambda: "no" in status(view))
            assert status(view) == "no\\x1b[2J tags   try: give --tag"
            keys.send_text("b")
            await until(lambda: status(view) == "on topic")

    asyncio.run(use())


def test_enter_opens_the_editor_at_the_line_without_a_shell(tmp_path: Path) -> None:
    (tmp_path / "a $(touch pwned).md").write_text("x\n" * 9)
    asked = tmp_path / "asked"
    vim = tmp_path / "vim"
    vim.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{asked}"\n')
    vim.chmod(0o700)
    look = Look(roots={("main", "acme"): str(tmp_path)})
    item = result(path="a $(touch pwned).md")

    async def use(editor: str, happened: Callable[[LiveView], object]) -> None:
        async with opened(lambda text: ShownPack(pack(item), look), editor) as (view, keys, _):
            keys.send_text("keys")
            await until(lambda: view.chosen)
            keys.send_text(ENTER)
            await until(lambda: happened(view))

    asyncio.run(use(f"'{vim}' -n", lambda _: asked.exists() and asked.read_text().count("\n") == 3))
    assert asked.read_text() == f"-n\n+3\n{tmp_path}/a $(touch pwned).md\n"
    assert not list(tmp_path.rglob("pwned"))
    asyncio.run(use("/no/such/editor", lambda view: "cannot be started" in status(view)))
    asyncio.run(use("'unclosed", lambda view: "cannot parse" in status(view)))


def test_what_has_no_file_here_cannot_be_opened() -> None:
    async def use() -> None:
        async with opened(lambda text: ShownPack(pack(result()), Look())) as (view, keys, _):
            keys.send_text("keys")
            await until(lambda: view.chosen)
            keys.send_text(ENTER)
            await until(
                lambda: status(view) == "no file here matches acme@c0ffee:docs/keys.md#L3-L5"
            )

    asyncio.run(use())


def test_only_the_answer_to_the_last_text_is_shown() -> None:
    async def use() -> None:
        may_end = asyncio.Event()
        asked: list[str] = []
        shown: list[tuple[str, str | PinciteError | None]] = []

        async def search(text: str) -> str:
            asked.append(text)
            if text == "a":
                await may_end.wait()
            return text.upper()

        latest = Latest(search, lambda text, found: shown.append((text, found)), 0.01)
        running = asyncio.create_task(latest.run())
        latest.ask("a")
        await until(lambda: asked == ["a"])
        latest.ask("ab")
        latest.ask("abc")
        may_end.set()
        await until(lambda: shown)
        assert (asked, shown) == (["a", "abc"], [("abc", "ABC")])
        latest.ask("  ")
        await until(lambda: len(shown) == 2)
        assert shown[1] == ("  ", None)
        running.cancel()

    asyncio.run(use())


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("vi", ["vi", "+7", "/x/-a b.py"]),
        ("/usr/bin/nvim -p", ["/usr/bin/nvim", "-p", "+7", "/x/-a b.py"]),
        ("code --wait", ["code", "--wait", "-g", "/x/-a b.py:7"]),
        ("hx", ["hx", "/x/-a b.py:7"]),
        ("idea", ["idea", "--line", "7", "/x/-a b.py"]),
        ("'my editor' --new", ["my editor", "--new", "/x/-a b.py"]),
        ("vi; rm -rf /", ["vi;", "rm", "-rf", "/", "/x/-a b.py"]),
    ],
)
def test_editors_are_told_the_line_as_each_of_them_takes_it(command: str, words: list[str]) -> None:
    assert editor_words(command, "/x/-a b.py", 7) == words


@pytest.mark.parametrize(("command", "path"), [("", "/x"), ("'", "/x"), ("vi", "-x")])
def test_an_editor_that_cannot_be_is_a_usage_error(command: str, path: str) -> None:
    with pytest.raises(UsageError):
        editor_words(command, path, 1)


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (10, 30)])
def test_it_works_on_a_real_terminal_that_may_be_small(cli: Cli, rows: int, columns: int) -> None:
    cli.write("zoo/guide.md", "# Zebras\n\nA zebra eats grass \x1b[2J every day.\n")
    cli("index", "zoo", "--lexical", "--name", "zoo")
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    environ = clean_environment() | {"TERM": "xterm", "EDITOR": "true", "PINCITE_OFFLINE": "1"}
    child = pexpect.spawn(
        sys.executable,
        ["-m", "pincite.surfaces.cli.app", "search"],
        cwd=str(cli.folder),
        env=environ,
        dimensions=(rows, columns),
        timeout=60,
    )

    def see(wanted: str) -> None:
        while wanted not in "\n".join(screen.display):
            stream.feed(child.read_nonblocking(65_536, timeout=60))

    see("Type a question")
    child.send("zebra grass")
    see("guide.md:")
    if columns > 40:
        see("\\x1b[2J every day")
    child.send(ESCAPE)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_without_a_terminal_a_question_is_needed(cli: Cli) -> None:
    assert "Missing argument 'QUERY...'" in cli("search", code=2).stderr
