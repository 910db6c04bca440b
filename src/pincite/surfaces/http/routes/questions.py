"""Questions: evidence, blocks for prompts, answers, and citation checks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import msgspec
from litestar import Response, Router, post
from litestar.datastructures import State
from litestar.params import JSONBody
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.passage import Passage
from pincite.model import Answer, AnswerEvent, EvidencePack
from pincite.surfaces.http.bodies import (
    AnswerBody,
    ContextBody,
    ReadBody,
    SearchBody,
    VerifyBody,
)
from pincite.surfaces.http.callers import HttpRequest, access, needs
from pincite.surfaces.http.notices import told, told_answer
from pincite.surfaces.http.problems import told_problem
from pincite.surfaces.http.resources import Resources, resources_of
from pincite.workspace import Access


@post("/v1/search", guards=[needs("search")], status_code=200)
async def search(request: HttpRequest, state: State, data: JSONBody[SearchBody]) -> EvidencePack:
    """Search. Returns evidence, best first, and a verdict on whether it is good enough."""
    may = data.restrict(access(request))
    pack = await resources_of(state).workspace.search(
        may,
        data.question,
        limit=data.limit,
        mode=data.mode,
        by=data.by,
        budget_ms=data.budget_ms,
    )
    return told(pack, request_id_of(request))


@post("/v1/context", guards=[needs("search")], status_code=200, media_type="text/plain")
async def context(request: HttpRequest, state: State, data: JSONBody[ContextBody]) -> str:
    """Return the evidence as one text for a prompt: numbered, fenced and cited, within a budget."""
    may = data.restrict(access(request))
    block = await resources_of(state).workspace.context(
        may, data.question, budget=data.budget, limit=data.limit
    )
    return block.text


@post("/v1/answers", guards=[needs("search")], status_code=200)
async def answer(
    request: HttpRequest, state: State, data: JSONBody[AnswerBody]
) -> Response[Answer]:
    """Answer a question from the evidence. With `stream`, the response has `piece` events, then an
    `answer` event with the complete answer. An error during the stream is a `problem` event."""
    own, resources = access(request), resources_of(state)
    may = data.restrict(own)
    if data.stream:
        if data.conversation:  # while a status can still be sent
            await resources.workspace.require_conversation(own, data.conversation)
        request_id = request_id_of(request)
        return ServerSentEvent(_events(resources, may, own, data, request_id))  # type: ignore[return-value]
    async with aclosing(_answering(resources, may, own, data)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, Answer):
                return Response(told_answer(event, request_id_of(request)))
    raise AssertionError("an answer ends with an Answer")


@post("/v1/evidence/read", guards=[needs("search")], status_code=200)
async def read_evidence(request: HttpRequest, state: State, data: JSONBody[ReadBody]) -> Passage:
    """Return the current text of a citation."""
    return await resources_of(state).workspace.get(access(request), data.citation, data.context)


@post("/v1/evidence/verify", guards=[needs("search")], status_code=200)
async def verify_evidence(
    request: HttpRequest, state: State, data: JSONBody[VerifyBody]
) -> tuple[ClaimCheck, ...]:
    """Check whether citations still hold and contain their quotes. Returns one status for each, in
    the same order."""
    claims = [Claim(one.citation, one.quote) for one in data.claims]
    return await resources_of(state).workspace.check(access(request), claims)


def _answering(
    resources: Resources, may: Access, own: Access, data: AnswerBody
) -> AsyncIterator[AnswerEvent]:
    """Yield the events of an answer. `own` is the access of the key: a question may be restricted
    further than the conversation."""
    return resources.workspace.answer_stream(
        may,
        data.question,
        conversation=data.conversation,
        speaker=own,
        mode=data.mode,
        limit=data.limit,
    )


async def _events(
    resources: Resources, may: Access, own: Access, data: AnswerBody, request_id: str
) -> AsyncIterator[ServerSentEventMessage]:
    try:
        async with aclosing(_answering(resources, may, own, data)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Answer):
                    yield _message("answer", told_answer(event, request_id))
                else:
                    yield _message("piece", event)
    except Exception as error:  # noqa: BLE001 - the response has begun: the fault is told as an event
        yield _message("problem", told_problem(error, request_id))


def _message(name: str, value: object) -> ServerSentEventMessage:
    return ServerSentEventMessage(event=name, data=msgspec.json.encode(value).decode())


def request_id_of(request: HttpRequest) -> str:
    """Return the id of the request, as in the log and the response."""
    return str(request.scope.get("request_id", ""))


QUESTIONS = Router("/", tags=["questions"], route_handlers=[search, context, answer])
EVIDENCE = Router("/", tags=["evidence"], route_handlers=[read_evidence, verify_evidence])
