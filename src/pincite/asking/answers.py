"""The arguments of an answer, and their translation to a question and a profile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from pincite.asking.options import QuestionKeywords, SearchOptions
from pincite.asking.profile import profile_of
from pincite.asking.question import question_of
from pincite.errors import UsageError
from pincite.model import Asked, ChatMode
from pincite.profile import Profile
from pincite.settings.load import Settings
from pincite.support.arguments import require_choice, require_kind
from pincite.support.fields import replace
from pincite.support.valid_text import valid_text

_MOST_NAME = 1_000  # characters of a user's name and of a conversation's id
_MOST_QUESTION = 100_000  # characters; a longer question leaves no room for evidence in a prompt


class AnswerKeywords(QuestionKeywords, total=False):
    """The keyword arguments that an answer shares with `search`, with the same meaning."""

    subqueries: str | Iterable[str]


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """A question to answer, as its caller gave it; nothing is checked yet. `mode` replaces
    `answer.mode` of the profile. `user` and `conversation` are as in `Asked`."""

    search: SearchOptions
    user: str = ""
    conversation: str = ""
    mode: ChatMode | None = None


def asked_of(options: AnswerOptions, settings: Settings) -> tuple[Asked, Profile]:
    """Return the checked question and the profile that it is answered with. Raises UsageError,
    whose message has the name of the argument, its value, and the values that it takes."""
    for name in ("user", "conversation"):
        value = getattr(options, name)
        require_kind(name, value, str, "a name as text")
        if len(value) > _MOST_NAME:
            raise UsageError(f"{name} has {len(value):,} characters; {_MOST_NAME:,} at most")
    question = question_of(options.search)
    if len(question.text) > _MOST_QUESTION:
        raise UsageError(
            f"the question has {len(question.text):,} characters; {_MOST_QUESTION:,} at most"
        )
    profile = profile_of(options.search, settings)
    if options.mode is not None:
        require_choice("mode", options.mode, get_args(ChatMode))
        profile = replace(profile, answer=replace(profile.answer, mode=options.mode))
    user, conversation = valid_text(options.user), valid_text(options.conversation)
    return Asked(question, user, conversation), profile
