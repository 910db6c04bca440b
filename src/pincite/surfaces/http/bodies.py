"""What clients send to the HTTP API, beside the nouns that it answers with.

An unknown field is refused. Whose request it is never stands in a body: that says the key.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from pincite.model import ChatMode, TaskMode, Turn
from pincite.workspace import Conversation, Document, Role
from pincite.workspace.checks import ID_PATTERN, missing
from pincite.workspace.model import Access

ID_FORM: Final = f"^{ID_PATTERN}$"
Id = Annotated[str, msgspec.Meta(pattern=ID_FORM)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Ids = Annotated[tuple[Id, ...], msgspec.Meta(max_length=1_000)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
SearchBy = Literal["vector", "keyword", "hybrid"]


class Within(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a request is restricted to, within what its key may see."""

    space_id: Id | None = None
    document_ids: Ids | None = None
    feed_ids: Ids | None = None
    source_ids: Annotated[tuple[Name, ...], msgspec.Meta(max_length=1_000)] | None = None
    category: Name | None = None
    data_structure: Name | None = None
    document_type: Name | None = None

    def restrict(self, access: Access) -> Access:
        """Return the access of a key, restricted further. Raises NotFound for a space that the key
        does not cover."""
        if self.space_id is not None and not access.reaches(self.space_id):
            raise missing("space", self.space_id)
        return msgspec.structs.replace(
            access,
            space_id=access.space_id or self.space_id,
            document_ids=self.document_ids,
            feed_ids=self.feed_ids,
            source_ids=self.source_ids,
            category=self.category,
            data_structure=self.data_structure,
            document_type=self.document_type,
        )


class SearchBody(Within, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question, and how to look for evidence."""

    question: Text
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    mode: TaskMode = "explain"
    by: SearchBy | None = None
    budget_ms: Annotated[float, msgspec.Meta(gt=0, le=600_000)] | None = None


class AnswerBody(Within, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question that wants an answer. With `stream` it comes as server-sent events."""

    question: Text
    conversation: Annotated[str, msgspec.Meta(max_length=200)] = ""
    mode: ChatMode | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    stream: bool = False


class ContextBody(Within, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question whose evidence is wanted as a block for a prompt, of so many tokens."""

    question: Text
    budget: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 6_000
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None


class RerankBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts that are to be put into order for a question, at most `top_n` of them."""

    query: Text
    documents: Annotated[
        tuple[Annotated[str, msgspec.Meta(max_length=100_000)], ...],
        msgspec.Meta(min_length=1, max_length=250),
    ]
    top_n: Annotated[int, msgspec.Meta(ge=1, le=250)] | None = None


class ToolFunction(msgspec.Struct, frozen=True):
    """A tool as language models are told of functions: `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolAnswer(msgspec.Struct, frozen=True):
    """What a tool answers to a model."""

    content: str


class ReadBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A citation, or the #id of a chunk, whose text is wanted, with lines around it."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    context: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 0


class ClaimBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A citation with the words that it is cited for."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    quote: Annotated[str, msgspec.Meta(max_length=20_000)] = ""


class VerifyBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Citations to check."""

    claims: Annotated[tuple[ClaimBody, ...], msgspec.Meta(min_length=1, max_length=200)]


class NameBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name for a space."""

    name: Name


class FeedBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feed of a space."""

    name: Name
    space_id: Id


class FeedChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Documents that a feed gets, and that it loses."""

    add: Ids = ()
    remove: Ids = ()


class RoleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a member may do."""

    role: Role


class DocumentChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What changes of a document; None stays as it is. `metadata` are fields that a person sets,
    an empty text takes one back."""

    filename: Name | None = None
    space_id: Id | None = None
    metadata: dict[str, str] | None = None
    source_ids: Annotated[tuple[Name, ...], msgspec.Meta(max_length=1_000)] | None = None


class DocumentPage(msgspec.Struct, frozen=True):
    """Some of many documents. `next` is the cursor of the following page, None on the last."""

    items: tuple[Document, ...]
    next: str | None = None


class ConversationBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A conversation that begins."""

    title: Annotated[str, msgspec.Meta(max_length=500)] = ""


class ConversationPage(msgspec.Struct, frozen=True):
    """Some of many conversations. `next` is the cursor of the following page, None on the last."""

    items: tuple[Conversation, ...]
    next: str | None = None


class TurnPage(msgspec.Struct, frozen=True):
    """Some turns of a conversation. `next` is the `after` of the following page, None on the
    last."""

    items: tuple[Turn, ...]
    next: int | None = None


class FactBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be remembered of the user."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]


class RecallBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to which facts are wanted, at most `limit` of them."""

    query: Text
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5


class KeptFact(msgspec.Struct, frozen=True):
    """A fact about the user. `score` says how well it fits a question, from 0 to 1; 0 where none
    was asked."""

    id: str
    text: str
    at: str
    score: float = 0.0


class FactPage(msgspec.Struct, frozen=True):
    """Some of many facts. `next` is the cursor of the following page, None on the last."""

    items: tuple[KeptFact, ...]
    next: str | None = None


class Forgotten(msgspec.Struct, frozen=True):
    """How many facts were deleted."""

    forgotten: int


class Welcome(msgspec.Struct, frozen=True):
    """What there is on this server: what paths of requests begin with, their description in
    OpenAPI, and the page for people, None where it is turned off."""

    name: str
    version: str
    api: str
    openapi: str
    page: str | None


class Ready(msgspec.Struct, frozen=True):
    """Can requests be answered? The log of the server has the reasons why not."""

    ready: bool
