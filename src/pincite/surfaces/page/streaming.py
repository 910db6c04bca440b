"""Stream an answer while it is written: one JSON object per line."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing

from pincite.errors import PinciteError
from pincite.model import Answer, AnswerEvent, Evidence
from pincite.support.valid_text import valid_json
from pincite.surfaces.page.library import Named
from pincite.surfaces.page.views import answer_view


async def answer_lines(
    events: AsyncIterator[AnswerEvent],
    named: Callable[[Evidence], Named],
    failed: Callable[[Exception], Mapping[str, str]],
) -> AsyncIterator[bytes]:
    """Yield lines with a `piece` of the text, then one with the `answer`. If the answer fails, the
    last line has a `problem`, the result of `failed`. The answer ends if the page disconnects."""
    try:
        async with aclosing(events) as coming:  # type: ignore[type-var]
            async for event in coming:
                if isinstance(event, Answer):
                    yield valid_json({"answer": answer_view(event, named)}) + b"\n"
                else:
                    yield valid_json({"piece": event.text}) + b"\n"
    except Exception as error:  # noqa: BLE001 - the response has begun: a line tells of the fault
        yield valid_json({"problem": failed(error)}) + b"\n"


def problem_view(error: PinciteError) -> dict[str, str]:
    """Return the message and the hint of an error."""
    return {"message": error.message, "hint": error.hint}
