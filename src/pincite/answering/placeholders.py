"""Find what templates of other programs have in a prompt, for parts that are appended here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

#: What such a template names: the question, the passages and the conversation.
_NAME: Final = (
    r"(?:(?:user_)?(?:question|query|input)|query_str|context_str|contexts?|passages?"
    r"|evidence|documents?|sources|history|chat_history|conversation|memory|summary)"
)
#: It stands alone: after white space, a colon or a tag. What follows another character is rather a
#: path, a command of LaTeX or a text in quotes.
_PLACEHOLDER: Final = re.compile(
    r"(?:^|[\s:]|<[\w-]{1,40}>)"
    rf"(\{{{{1,3}}-?[ \t]{{0,9}}{_NAME}"
    r"(?:![rsa])?(?::[^\s{}]{0,20})?[ \t]{0,9}(?:\|[^{}\n]{0,80})?-?\}{1,3}"
    rf"|%\({_NAME}\)[rs])"
    r"(?=[\s.,;:!?)<]|$)",
    re.MULTILINE,
)


def placeholders_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line (from 1) and the text of each placeholder, in their order."""
    for found in _PLACEHOLDER.finditer(text):
        yield text.count("\n", 0, found.start(1)) + 1, found[1]
