"""Bodies of requests to the HTTP API, and responses without a noun of their own.

An unknown field is an error. No body names the user: the key does.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from pincite.model import ChatMode, TaskMode, Turn
from pincite.support.fields import replace
from pincite.workspace import Conversation, Document, KeyScope, Role, Space
from pincite.workspace.checks import ID_PATTERN, missing
from pincite.workspace.model import Access

ID_FORM: Final = f"^{ID_PATTERN}$"
Id = Annotated[str, msgspec.Meta(pattern=ID_FORM)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Ids = Annotated[tuple[Id, ...], msgspec.Meta(max_length=1_000)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
#: Why a budget has no fixed minimum.
BUDGET: Final = (
    "The most tokens of the text, by a high estimate. The fixed lines, and the citation and first"
    " line of the best passage, must fit; otherwise the request is refused, and the hint has a"
    " sufficient budget."
)
SearchBy = Literal["vector", "keyword", "hybrid"]


class Within(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Restrictions of a request, in addition to those of its key."""

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
        return replace(
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
    """A question, and the kind of search."""

    question: Text
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    mode: TaskMode | None = None
    by: SearchBy | None = None
    budget_ms: Annotated[float, msgspec.Meta(gt=0, le=600_000)] | None = None


class AnswerBody(Within, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to answer. With `stream`, the response is a stream of server-sent events."""

    question: Text
    conversation: Annotated[str, msgspec.Meta(max_length=200)] = ""
    mode: ChatMode | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    stream: bool = False


class ContextBody(Within, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question for a prompt block of at most `budget` tokens."""

    question: Text
    budget: Annotated[int, msgspec.Meta(ge=1, le=1_000_000, description=BUDGET)] = 6_000
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None


class RerankBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts to rank for a question. The response has at most `top_n` of them."""

    query: Text
    documents: Annotated[
        tuple[Annotated[str, msgspec.Meta(max_length=100_000)], ...],
        msgspec.Meta(min_length=1, max_length=250),
    ]
    top_n: Annotated[int, msgspec.Meta(ge=1, le=250)] | None = None


class ToolFunction(msgspec.Struct, frozen=True):
    """A tool in the form of function calling: `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolAnswer(msgspec.Struct, frozen=True):
    """The result of a tool call, for the model."""

    content: str


class ReadBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A citation or the #id of a chunk to read, and the number of lines around it."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    context: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 0


class ClaimBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A citation, and the quote that it supports."""

    citation: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
    quote: Annotated[str, msgspec.Meta(max_length=20_000)] = ""


class VerifyBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Citations to check."""

    claims: Annotated[tuple[ClaimBody, ...], msgspec.Meta(min_length=1, max_length=200)]


class NameBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name for a space."""

    name: Name


class FeedBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new feed of a space."""

    name: Name
    space_id: Id


class FeedChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Documents to add to a feed, and to remove from it."""

    add: Ids = ()
    remove: Ids = ()


class RoleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The role of a member."""

    role: Role


class DocumentChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Changes of a document; None changes nothing. `metadata` overrides detected values; an empty
    text removes an override."""

    filename: Annotated[str, msgspec.Meta(min_length=1, max_length=255)] | None = None
    space_id: Id | None = None
    metadata: dict[str, str] | None = None
    source_ids: Annotated[tuple[Name, ...], msgspec.Meta(max_length=1_000)] | None = None


class Me(msgspec.Struct, frozen=True):
    """A user, as their own keys show them. `personal` is the id of the personal space, None for a
    key that does not cover it. `scopes` and `space_id` are those of the key."""

    id: str
    name: str
    email: str
    personal: str | None
    spaces: tuple[Space, ...]
    scopes: tuple[KeyScope, ...]
    space_id: str | None = None


class DocumentPage(msgspec.Struct, frozen=True):
    """A page of documents. `next` is the cursor of the next page, None on the last one."""

    items: tuple[Document, ...]
    next: str | None = None


class ConversationBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new conversation."""

    title: Annotated[str, msgspec.Meta(max_length=500)] = ""


class ConversationPage(msgspec.Struct, frozen=True):
    """A page of conversations. `next` is the cursor of the next page, None on the last one."""

    items: tuple[Conversation, ...]
    next: str | None = None


class TurnPage(msgspec.Struct, frozen=True):
    """A page of turns. `next` is the `after` of the next page, None on the last one."""

    items: tuple[Turn, ...]
    next: int | None = None


class FactBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact to store about the user."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]


class RecallBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to find facts for, at most `limit` of them."""

    query: Text
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5


class KeptFact(msgspec.Struct, frozen=True):
    """A fact about the user. `score` says how well it matches a question, from 0 to 1. It is 0 if
    the request has no question."""

    id: str
    text: str
    at: str
    score: float = 0.0


class FactPage(msgspec.Struct, frozen=True):
    """A page of facts. `next` is the cursor of the next page, None on the last one."""

    items: tuple[KeptFact, ...]
    next: str | None = None


class Forgotten(msgspec.Struct, frozen=True):
    """The number of deleted facts."""

    forgotten: int


class Welcome(msgspec.Struct, frozen=True):
    """The server: the prefix of the API, the path of its OpenAPI description, and the path of the
    page, None if it is turned off."""

    name: str
    version: str
    api: str
    openapi: str
    page: str | None


class Ready(msgspec.Struct, frozen=True):
    """Whether the server can answer requests. If not, its log has the reasons."""

    ready: bool
