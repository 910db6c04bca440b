"""Tests of what `LLM` promises."""

from __future__ import annotations

from contextlib import aclosing

from pincite.ports import LLM, Finish, Message
from pincite.testing.running import contract

ASKED = (
    Message("system", "Answer in the user's own words."),
    Message("user", "which turnstile rotates 文書 🎉\nwhen pushed"),
)


class LLMContract:
    """Derive from it and let `opened` yield a model that answers `ASKED` with at least three words,
    always the same."""

    @contract
    async def test_an_answer_is_whole_and_says_why_it_ended(self, llm: LLM) -> None:
        answer = await llm.complete(ASKED)
        assert answer.text
        assert answer.finish == "stop"

    @contract
    async def test_a_limit_of_tokens_cuts_the_answer_and_says_so(self, llm: LLM) -> None:
        whole = await llm.complete(ASKED)
        answer = await llm.complete(ASKED, max_tokens=1)
        assert answer.finish == "length"
        assert len(answer.text) < len(whole.text)

    @contract
    async def test_streamed_pieces_are_the_answer(self, llm: LLM) -> None:
        pieces = [piece async for piece in llm.stream(ASKED)]
        assert len(pieces) > 1
        assert all(pieces)
        assert "".join(pieces) == (await llm.complete(ASKED)).text

    @contract
    async def test_a_stream_says_why_it_ended(self, llm: LLM) -> None:
        told: list[Finish] = []
        async for _ in llm.stream(ASKED, on_finish=told.append):
            pass
        async for _ in llm.stream(ASKED, max_tokens=1, on_finish=told.append):
            pass
        assert told == ["stop", "length"]

    @contract
    async def test_a_stream_may_be_left_early(self, llm: LLM) -> None:
        async with aclosing(llm.stream(ASKED)) as pieces:  # type: ignore[type-var]
            async for _ in pieces:
                break
        assert (await llm.complete(ASKED)).text

    @contract
    async def test_text_that_has_no_form_in_utf_8_is_taken(self, llm: LLM) -> None:
        assert (await llm.complete([Message("user", "a lone \udcff here")])).text

    @contract
    async def test_the_fingerprint_is_one_printable_line(self, llm: LLM) -> None:
        assert llm.fingerprint
        assert llm.fingerprint.isprintable()
