"""Methods of an open index for answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Unpack

import msgspec

from pincite.engine.memory import Remembering
from pincite.engine.summaries import Summaries
from pincite.errors import PinciteError, ProviderError, TagsRequired
from pincite.support.arguments import require_known

if TYPE_CHECKING:
    from pincite.answer import AnswerDeps
    from pincite.asking.answers import AnswerKeywords, AnswerOptions
    from pincite.model import Answer, AnswerEvent, Asked, ChatMode, EvidencePack, Question
    from pincite.ports import LLM, Completion, Reranker
    from pincite.profile import Profile
    from pincite.scope.choosing import Admit
    from pincite.settings.load import Settings
    from pincite.trace import Trace

_MARK_BYTES = 8  # 2**64 marks: indexed texts cannot guess one


class Answerer(Remembering):
    """Answers questions, with facts about the user and the turns of the conversation."""

    def __init__(self, settings: Settings, reranker: Reranker | None = None) -> None:
        super().__init__(settings, reranker)
        self._summaries = Summaries()

    async def close(self) -> None:
        """Finish pending summaries of conversations, and disconnect from the daemon and from
        providers. The daemon keeps running. Leaving the context manager calls this method.

        >>> await pincite.close()
        """
        await self._summaries.close()
        await super().close()

    async def answer(
        self,
        text: str,
        *,
        user: str = "",
        conversation: str = "",
        mode: ChatMode | None = None,
        **keywords: Unpack[AnswerKeywords],
    ) -> Answer:
        """Answer a question from the evidence that `search` finds.

        Arguments:
            text: the question, with the exact names of functions, options or errors.
            user: the user whose facts the model receives, and the owner of the conversation; empty
                for none.
            conversation: the id of the conversation that the question belongs to; empty for none.
            mode: `strict` answers from the evidence or not at all. `open` and `learning` may use
                general knowledge, and say so. None: `answer.mode` of the profile.
            keywords: those of `search` except `mode`, `show_all` and `trace`: `limit`, `kinds`,
                `paths`, `not_paths`, `where`, `collections`, `sources`, `ref`, `tags`, `preset`,
                `by`, `context`, `budget_ms`, `subqueries`, `scope`, `profile`. `budget_ms` limits
                the search, not the model that writes.

        Returns an answer. Its `kind` is `generated` if the model of `[models] llm` wrote it,
        `extractive` if none is configured (sentences of the evidence), `refused` if there is no
        evidence, and `failed` if the model gave no answer. `sources` are the passages of `[1]` and
        so on. `doubts` are sentences that their sources do not support, as far as rules can tell.
        Raises ConversationNotFound and the errors of `search`, except IndexNotFound: then the
        answer is a refusal.

        >>> answer = await pincite.answer("how is a key rotated?", kinds="docs")
        >>> answer.kind
        'extractive'
        >>> print(answer.text)
        To rotate a key, call `rotate_key` with the new secret. [1]
        """
        from pincite.model import Answer

        options = _options(text, user, conversation, mode, keywords)
        async with aclosing(self.answering(options)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("an answer ends with an Answer")

    def answer_stream(
        self,
        text: str,
        *,
        user: str = "",
        conversation: str = "",
        mode: ChatMode | None = None,
        **keywords: Unpack[AnswerKeywords],
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Like `answer`, as a stream: `AnswerPiece`s while it is written, then the `Answer`.

        Arguments:
            text: the question.
            user: as in `answer`.
            conversation: as in `answer`.
            mode: as in `answer`.
            keywords: as in `answer`.

        Pieces are the model's own text. The final `Answer` may lack some of their citations: those
        of unknown passages are removed, so show the text of the pieces or that of the answer, not
        both. Closing the generator ends the request to the model. Raises
        the errors of `answer`.

        >>> pieces = [one async for one in pincite.answer_stream("how is a key rotated?")]
        >>> pieces[-1].kind
        'extractive'
        """
        return self.answering(_options(text, user, conversation, mode, keywords))

    async def answering(
        self, options: AnswerOptions, *, trace: Trace | None = None, admit: Admit | None = None
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Like `answer_stream`, with all options as one value.

        Arguments:
            options: the arguments of `answer`, and further ones for surfaces.
            trace: receives each step of the search.
            admit: decides which documents may be used, as in `find`.

        Raises the errors of `answer`.

        >>> from pincite.asking import SearchOptions
        >>> from pincite.asking.answers import AnswerOptions
        >>> asked = AnswerOptions(SearchOptions("how is a key rotated?"))
        >>> events = [event async for event in pincite.answering(asked)]
        >>> events[-1].sources[0].evidence
        1
        """
        from pincite.answer import answer  # imported late: searches do not need it
        from pincite.asking.answers import asked_of
        from pincite.model import Answer
        from pincite.trace import Trace

        asked, profile = asked_of(options, self.settings)
        steps = trace or Trace(time.perf_counter, detailed=False)
        await self._require_tags(asked, profile)
        deps = await self._answering(asked, profile, steps, options.search.here, admit)
        async with aclosing(answer(asked, deps, profile.answer)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Answer):
                    self.log().answered(event, steps.query_id)
                    if deps.conversations is not None:
                        of = (deps.conversations, asked.user, asked.conversation)
                        self._summaries.begin(*of, deps.llm, profile.answer)
                yield event

    async def _require_tags(self, asked: Asked, profile: Profile) -> None:
        """Raise TagsRequired early, before a conversation is read and a model rewrites the
        question. All other errors of the scope are left to the search."""
        try:
            await self._searcher.collections.opened(asked.question.scope, profile, asked=True)
        except TagsRequired:
            if not await self._searcher.collections.outdated():
                raise
        except PinciteError:
            return

    async def _answering(
        self,
        asked: Asked,
        profile: Profile,
        steps: Trace,
        here: str | None,
        admit: Admit | None,
    ) -> AnswerDeps:
        """Return the dependencies of an answer."""
        from pincite.answer import AnswerDeps
        from pincite.retrieval_log.recorder import utc_now

        async def search(question: Question) -> EvidencePack:
            return await self._searcher.search(question, profile, steps, here, admit)

        return AnswerDeps(
            search=search,
            terms_of=self._terms_of,
            mark=secrets.token_hex(_MARK_BYTES),
            now=utc_now,
            clock=time.perf_counter,
            llm=await self._answering_llm(),
            memory=self._memory if asked.user else None,
            conversations=self._conversations if asked.conversation else None,
            prompts=self.settings.prompts_of,
        )

    async def _answering_llm(self) -> LLM | None:
        """Return the configured language model. A model that cannot be opened raises its error only
        when it is called, so that the answer still has its evidence."""
        name = self.settings.use.llm
        if not name:
            return None
        try:
            return await self._models.llm(name)
        except ProviderError as error:
            return _Unopened(name, error)

    def _terms_of(self, pack: EvidencePack) -> Callable[[str], frozenset[str]]:
        from pincite.providers.sparse.analyser import informative_terms

        known = self._searcher.collections.infos
        shown = [one.collection for one in (*pack.evidence, *pack.closest)]
        of = [known[name].spec.language for name in (*shown, *known) if name in known]
        return informative_terms(of[0] if of else "english")


class _Unopened(msgspec.Struct, frozen=True):
    """A language model that could not be opened."""

    fingerprint: str
    error: ProviderError

    async def complete(self, *_: object, **__: object) -> Completion:
        raise self.error

    def stream(self, *_: object, **__: object) -> AsyncIterator[str]:
        raise self.error


def _options(
    text: str, user: str, conversation: str, mode: ChatMode | None, keywords: AnswerKeywords
) -> AnswerOptions:
    from pincite.asking import SearchOptions
    from pincite.asking.answers import AnswerKeywords, AnswerOptions

    taken = ("user", "conversation", "mode", *AnswerKeywords.__annotations__)
    require_known("an answer", keywords, taken)
    return AnswerOptions(SearchOptions(text, **keywords), user, conversation, mode)
