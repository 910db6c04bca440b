"""Request bodies of the page. Unknown fields are refused."""

from __future__ import annotations

from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Named = Annotated[str, msgspec.Meta(max_length=4_000)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is served here?"""


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question; an empty `preset` is the configured profile."""

    text: Text
    preset: Name = ""


class Read(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The document around a citation, so many lines before and after."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    collection: Name = ""
    language: Name = ""
    context: Annotated[int, msgspec.Meta(ge=0, le=2_000)] = 30


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page of a PDF that a citation is on."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    collection: Name = ""


class Judge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How good a result is for a question: 3 answers it, 2 helps, 1 is related, 0 is not relevant;
    None takes the judgement back. A `candidate_id` stands for what has neither path nor lines."""

    text: Text
    grade: Annotated[int, msgspec.Meta(ge=0, le=3)] | None
    path: Named = ""
    start_line: Count = 0
    end_line: Count = 0
    repo: Name = ""
    candidate_id: Named = ""
