"""`pincite ask`: answer a question, with its sources."""

from __future__ import annotations

import sys
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pincite.surfaces.cli.options import json_option, with_options
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK, run
from pincite.surfaces.cli.search import ASKING, asked_of, options_of

if TYPE_CHECKING:
    from pincite.asking.answers import AnswerOptions
    from pincite.engine import AsyncPincite
    from pincite.model import Answer
    from pincite.support.terminal import Painted

#: The exit code if there is evidence, but the model gave no complete answer.
MODEL_FAILED: Final = 4
mode_option = click.option(
    "--mode",
    type=click.Choice(["strict", "open", "learning"]),
    help="If nothing is found: refuse (strict), or use general knowledge and say so.",
)
user_option = click.option("--user", default="", help="The user of the memory and conversation.")


@click.command()
@with_options(
    click.argument("query", nargs=-1, required=True),
    *ASKING,
    mode_option,
    user_option,
    click.option("--conversation", default="", help="The id of the conversation to continue."),
    json_option,
)
def ask(
    query: tuple[str, ...],
    mode: str | None,
    user: str,
    conversation: str,
    json_: bool,
    index: Path | None,
    **asked: Any,
) -> int:
    """Answer a question from the index, with citations.

    The model in [models] llm writes the answer. Without a model, the answer
    consists of sentences of the evidence. Exit codes: 0 answered; 3 refused, because
    nothing was found or, in mode strict, because the evidence does not answer; 4 the
    model failed although there is evidence.
    """
    from pincite.asking.answers import AnswerOptions
    from pincite.surfaces.text import answer_text

    searched = options_of(asked_of(query=query, **asked))
    options = AnswerOptions(searched, user, conversation, mode)  # type: ignore[arg-type]
    if json_:
        answer = run(lambda engine: _answered(engine, options, shown=False), index)
        show(answer.to_json())
        for message in answer_text.warning_lines(answer):
            say(message)
    else:
        shown = sys.stdout.isatty()
        answer = run(lambda engine: show_answer(engine, options, shown=shown), index)
    return code_of(answer)


async def show_answer(
    engine: AsyncPincite,
    options: AnswerOptions,
    *,
    shown: bool,
    known: frozenset[str] = frozenset(),
) -> Answer:
    """Answer a question, and print the answer with its sources, its doubts and its warnings, except
    those with a `known` code. With `shown`, the text is printed while the model writes it."""
    from pincite.surfaces.text import answer_text

    answer = await _answered(engine, options, shown=shown)
    if not shown:
        show(answer.text)
    if lines := answer_text.source_lines(answer):
        show("\n", *between(lines))
    for line in answer_text.removed_lines(answer):
        say(line)
    for line in answer_text.doubt_lines(answer):
        say(f"doubtful: {line}")
    for message in answer_text.warning_lines(answer, known):
        say(message)
    return answer


def code_of(answer: Answer) -> int:
    """Return the exit code for an answer."""
    if answer.kind == "failed":
        return MODEL_FAILED
    return NOTHING if answer.kind == "refused" else OK


async def _answered(engine: AsyncPincite, options: AnswerOptions, *, shown: bool) -> Answer:
    """Return the answer. With `shown`, print its pieces as they arrive."""
    from pincite.model import Answer
    from pincite.surfaces.cli.progress import waiting

    found: Answer | None = None
    with ExitStack() as patience:
        patience.enter_context(waiting(sys.stderr, "searching for an answer"))
        async with aclosing(engine.answering(options)) as events:
            async for event in events:
                patience.close()
                if isinstance(event, Answer):
                    found = event
                elif shown:
                    show_piece(event.text)
    if shown:
        show_piece("\n")
    if found is None:
        raise AssertionError("an answer ends with an Answer")
    return found


def between(lines: tuple[Painted, ...]) -> list[str | Painted]:
    """Return the lines with newlines between them."""
    return [part for line in lines for part in (line, "\n")][:-1]


def show_piece(text: str) -> None:
    """Show a piece of an answer on the terminal, with control characters escaped."""
    from pincite.support.terminal import visible

    sys.stdout.write(visible(text))
    sys.stdout.flush()
