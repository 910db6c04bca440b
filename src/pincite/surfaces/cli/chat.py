"""`pincite chat`: a conversation on a terminal."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from pincite.support.fields import replace
from pincite.support.processes.signals import off_signal, on_signals
from pincite.support.terminal import one_line
from pincite.surfaces.cli.ask import between, mode_option, show_answer, user_option
from pincite.surfaces.cli.named_index import for_named_index
from pincite.surfaces.cli.options import with_options
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import OK, run
from pincite.surfaces.cli.search import ASKING, asked_of, options_of

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

    from pincite.asking.answers import AnswerOptions
    from pincite.engine import AsyncPincite
    from pincite.model import Answer

_PROMPT: Final = "> "
_TITLE_CHARS: Final = 80
_COMMANDS: Final[Mapping[str, str]] = {
    "/sources": "all sources of the last answer",
    "/mode": "/mode open switches to strict, open or learning; /mode alone shows the mode",
    "/new": "start another conversation",
    "/help": "list these commands",
    "/quit": "leave, as Ctrl-D does",
}


@click.command()
@with_options(
    *ASKING,
    mode_option,
    user_option,
    click.option("--conversation", default="", help="The id of a conversation to continue."),
)
def chat(mode: str | None, user: str, conversation: str, index: Path | None, **asked: Any) -> int:
    """Ask questions and follow-ups on a terminal. Ctrl-C ends an answer, Ctrl-D the conversation.

    The search for a follow-up takes earlier turns into account. Turns are stored in the
    index folder, and --conversation resumes them. /help lists commands.
    """
    from pincite.asking.answers import AnswerOptions
    from pincite.errors import UsageError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("pincite chat needs a terminal", hint='pincite ask "..."')
    searched = options_of(asked_of(query=(), **asked))
    options = AnswerOptions(searched, user, conversation, mode)  # type: ignore[arg-type]
    run(lambda engine: Chat(engine, options).run(), index)
    return OK


class Chat:
    """One session: its conversation, its mode, and the last answer."""

    def __init__(self, engine: AsyncPincite, options: AnswerOptions) -> None:
        self._engine = engine
        self._options = options
        self._last: Answer | None = None
        self._extractive = False
        self._begun = ""

    async def run(self) -> None:
        """Run until the user leaves. Raises ConversationNotFound, and IndexNotFound if nothing is
        indexed."""
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.input import create_input
        from prompt_toolkit.output import create_output

        self._engine.client()  # report a missing index at once
        history = InMemoryHistory(await self._asked_before())
        session: PromptSession[str] = PromptSession(
            history=history,
            input=create_input(sys.__stdin__),
            output=create_output(stdout=sys.__stdout__),
        )
        while (line := await _read(session)) is not None:
            text = line.strip()
            if text in ("/quit", "/exit"):
                break
            if text.startswith("/"):
                await self._obey(text)
            elif text:
                await self._answer(text)
        if await self._kept():
            say(f"to continue: {command_for(sys.argv[1:], self._options.conversation)}")

    async def _asked_before(self) -> list[str]:
        """Return earlier questions of this conversation, for the history keys."""
        options = self._options
        if not options.conversation:
            return []
        turns = await self._engine.turns(options.conversation, options.user)
        return [one.text for one in turns if one.role == "user"]

    async def _answer(self, text: str) -> None:
        """Answer one question. After an error the next question can be asked."""
        from pincite.errors import ConversationNotFound, PinciteError

        try:
            if not self._options.conversation:
                await self._begin(text)
            searched = replace(self._options.search, text=text)
            options = replace(self._options, search=searched)
            with _interruptible() as task_of:
                # The first answer warns that no model is configured; that applies to all others.
                known = frozenset({"extractive"} if self._extractive else ())
                work = task_of(show_answer(self._engine, options, shown=True, known=known))
                self._last = await work
                self._extractive |= self._last.kind == "extractive"
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            show("")
            say("interrupted")
        except ConversationNotFound as error:
            say(f"error: {for_named_index(error)}")
            self._options = replace(self._options, conversation="")
        except PinciteError as error:
            say(f"error: {for_named_index(error)}")

    async def _begin(self, question: str) -> None:
        """Begin a new conversation, with its first question as the title; continue without one if
        conversations are not available."""
        from pincite.errors import MemoryUnavailable

        try:
            title = " ".join(question.split())
            title = title if len(title) <= _TITLE_CHARS else f"{title[:_TITLE_CHARS]}…"
            name = await self._engine.begin_conversation(self._options.user, title)
            self._begun = name
        except MemoryUnavailable as error:
            say(f"warning: conversation_unavailable: {for_named_index(error)}")
            return
        self._options = replace(self._options, conversation=name)

    async def _kept(self) -> bool:
        """Return whether the conversation has turns. Without turns, a conversation that this
        session has begun is deleted."""
        from pincite.errors import ConversationNotFound, MemoryUnavailable

        name, owner = self._options.conversation, self._options.user
        try:
            if not name or await self._engine.turns(name, owner):
                return bool(name)
            if name == self._begun:
                await self._engine.delete_conversation(name, owner)
        except (ConversationNotFound, MemoryUnavailable) as error:
            say(f"warning: conversation_unavailable: {for_named_index(error)}")
        return False

    async def _obey(self, line: str) -> None:
        """Run a command of the chat."""
        from pincite.model import ChatMode
        from pincite.surfaces.text import answer_text

        name, _, argument = line.partition(" ")
        modes: tuple[str, ...] = get_args(ChatMode)
        argument = argument.strip()
        if name == "/sources":
            lines = answer_text.source_lines(self._last, all_=True) if self._last else ()
            show(*(between(lines) or ["no sources"]))
        elif name == "/new":
            await self._kept()
            self._options = replace(self._options, conversation="")
            self._last = None
            say("another conversation")
        elif name == "/mode" and argument in modes:
            self._options = replace(self._options, mode=argument)
            say(f"mode: {argument}")
        elif name == "/mode" and not argument:
            configured = self._engine.settings.profile.answer.mode
            say(f"mode: {self._options.mode or configured}; known modes: {', '.join(modes)}")
        elif name == "/mode":
            say(f"no mode is named {argument!r}; known modes: {', '.join(modes)}")
        else:
            if name != "/help":
                say(f"no command is named {name}; known commands:")
            say("\n".join(f"{one:9} {what}" for one, what in _COMMANDS.items()))


def command_for(words: Sequence[str], conversation: str) -> str:
    """Return the command that continues a conversation: the words of the first command, quoted for
    a shell, with the id of the conversation."""
    import shlex

    kept, given = [], iter(words)
    for word in given:
        if word == "--conversation":
            next(given, "")
        elif not word.startswith("--conversation="):
            kept.append(word)
    return one_line(shlex.join(["pincite", *kept, "--conversation", conversation]))


async def _read(session: PromptSession[str]) -> str | None:
    """Read a line of the user, None at the end of input. Ctrl-C clears the line."""
    while True:
        try:
            return await session.prompt_async(_PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return None


@contextmanager
def _interruptible() -> Iterator[Any]:
    """Yield a function that starts a task. Within this, Ctrl-C cancels only that task."""
    before = signal.getsignal(signal.SIGINT)

    def task_of(work: Any) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(work)
        on_signals(("SIGINT",), task.cancel)
        return task  # type: ignore[no-any-return]

    try:
        yield task_of
    finally:
        off_signal("SIGINT")
        signal.signal(signal.SIGINT, before)
