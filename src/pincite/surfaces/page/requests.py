"""The bodies of the page's requests. Unknown fields are errors."""

from __future__ import annotations

from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Named = Annotated[str, msgspec.Meta(max_length=4_000)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request for the description of the library. It has no fields."""


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question. An empty `preset` means the configured profile."""

    text: Text
    preset: Name = ""


class Read(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request for the text of a citation, with `context` lines before and after it."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    collection: Name = ""
    language: Name = ""
    context: Annotated[int, msgspec.Meta(ge=0, le=2_000)] = 30


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A citation; as a request, for a picture of its page of a PDF."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    collection: Name = ""


class Judge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The grade of a result for a question: 3 answers it, 2 helps, 1 is related, 0 is not relevant;
    None removes the judgement. `candidate_id` is for results without a path."""

    text: Text
    grade: Annotated[int, msgspec.Meta(ge=0, le=3)] | None
    path: Named = ""
    start_line: Count = 0
    end_line: Count = 0
    repo: Name = ""
    candidate_id: Named = ""
