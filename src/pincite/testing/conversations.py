"""Tests of what `Conversations` promises."""

from __future__ import annotations

import asyncio

import pytest

from pincite.errors import ConversationNotFound, UsageError
from pincite.model import Turn
from pincite.ports import Conversations
from pincite.testing.memories import LOOKALIKES
from pincite.testing.running import contract


def pair(number: int) -> tuple[Turn, Turn]:
    """Return a question and its answer."""
    question = Turn("user", f"question {number}?")
    cited = (f"docs@1:a.md#L{number}",)
    return question, Turn("assistant", f"answer {number}", citations=cited, kind="failed")


class ConversationsContract:
    """Derive from it and let `opened` yield a store without conversations."""

    @contract
    async def test_what_was_said_is_read_again(self, conversations: Conversations) -> None:
        id_ = await conversations.begin("ada", "keys")
        assert await conversations.append("ada", id_, pair(1)) == 2
        assert await conversations.append("ada", id_, pair(2)) == 4
        turns = await conversations.turns("ada", id_)
        assert [one.number for one in turns] == [1, 2, 3, 4]
        assert [one.role for one in turns] == ["user", "assistant"] * 2
        assert [one.text for one in turns][2:] == ["question 2?", "answer 2"]
        assert turns[3].citations == ("docs@1:a.md#L2",)
        assert [one.kind for one in turns] == ["", "failed"] * 2
        assert all(one.at for one in turns)

    @contract
    async def test_a_new_one_is_empty(self, conversations: Conversations) -> None:
        id_ = await conversations.begin("ada", "keys")
        state = await conversations.state("ada", id_, 6)
        assert (state.id, state.owner, state.title) == (id_, "ada", "keys")
        assert (state.summary, state.summarised, state.turns) == ("", 0, ())
        assert await conversations.append("ada", id_, ()) == 0

    @contract
    async def test_ids_are_long_and_never_the_same(self, conversations: Conversations) -> None:
        ids = {await conversations.begin("ada") for _ in range(50)}
        assert len(ids) == 50
        assert all(len(one) >= 20 and one.isprintable() for one in ids)

    @contract
    async def test_the_state_has_what_no_summary_covers(self, conversations: Conversations) -> None:
        id_ = await conversations.begin("ada")
        for number in range(1, 6):
            await conversations.append("ada", id_, pair(number))
        assert len((await conversations.state("ada", id_, 2)).turns) == 10
        assert await conversations.summarise("ada", id_, "about keys", 7)
        state = await conversations.state("ada", id_, 2)
        assert (state.summary, state.summarised) == ("about keys", 7)
        assert [one.number for one in state.turns] == [8, 9, 10]
        more = await conversations.state("ada", id_, 5)
        assert [one.number for one in more.turns] == [6, 7, 8, 9, 10]
        assert len((await conversations.state("ada", id_, 1_000)).turns) == 10
        assert [one.number for one in (await conversations.state("ada", id_, 0)).turns] == [
            8,
            9,
            10,
        ]

    @contract
    async def test_a_later_summary_stays(self, conversations: Conversations) -> None:
        id_ = await conversations.begin("ada")
        await conversations.append("ada", id_, (*pair(1), *pair(2)))
        assert await conversations.summarise("ada", id_, "all four", 4)
        assert not await conversations.summarise("ada", id_, "two only", 2)
        assert (await conversations.state("ada", id_, 0)).summary == "all four"
        with pytest.raises(UsageError, match="summarised"):
            await conversations.summarise("ada", id_, "of the future", 5)

    @contract
    async def test_the_latest_come_first(self, conversations: Conversations) -> None:
        first, second, third = [await conversations.begin("ada", str(n)) for n in range(3)]
        await conversations.append("ada", first, pair(1))
        listed = await conversations.list("ada")
        assert [one.id for one in listed] == [first, third, second]
        assert [one.turns for one in listed] == [(), (), ()]
        assert [one.length for one in listed] == [2, 0, 0]
        assert [bool(one.updated) for one in listed] == [True, False, False]
        assert [one.id for one in await conversations.list("ada", 1)] == [first]

    @contract
    async def test_nobody_reaches_those_of_another(self, conversations: Conversations) -> None:
        id_ = await conversations.begin("ada", "secret")
        await conversations.append("ada", id_, pair(1))
        for other in ("", *LOOKALIKES[1:]):
            with pytest.raises(ConversationNotFound):
                await conversations.state(other, id_, 5)
            with pytest.raises(ConversationNotFound):
                await conversations.turns(other, id_)
            with pytest.raises(ConversationNotFound):
                await conversations.append(other, id_, pair(2))
            with pytest.raises(ConversationNotFound):
                await conversations.summarise(other, id_, "mine", 1)
            with pytest.raises(ConversationNotFound):
                await conversations.delete(other, id_)
            assert await conversations.list(other) == ()
        assert len(await conversations.turns("ada", id_)) == 2

    @contract
    async def test_owners_that_look_alike_are_kept_apart(
        self, conversations: Conversations
    ) -> None:
        owners = ("", *LOOKALIKES)
        ids = [await conversations.begin(owner, f"of {n}") for n, owner in enumerate(owners)]
        for number, owner in enumerate(owners):
            listed = await conversations.list(owner)
            assert [(one.id, one.title, one.owner) for one in listed] == [
                (ids[number], f"of {number}", owner)
            ]

    @contract
    async def test_what_is_deleted_is_gone(self, conversations: Conversations) -> None:
        id_, other = await conversations.begin("ada"), await conversations.begin("ada")
        await conversations.append("ada", id_, pair(1))
        await conversations.append("ada", other, pair(2))
        await conversations.delete("ada", id_)
        with pytest.raises(ConversationNotFound):
            await conversations.turns("ada", id_)
        with pytest.raises(ConversationNotFound):
            await conversations.append("ada", id_, pair(1))
        with pytest.raises(ConversationNotFound):
            await conversations.delete("ada", id_)
        assert [one.id for one in await conversations.list("ada")] == [other]
        assert len(await conversations.turns("ada", other)) == 2

    @contract
    async def test_ids_that_cannot_be_are_not_found(self, conversations: Conversations) -> None:
        await conversations.begin("ada")
        for id_ in ("", "%", "*", "x" * 1_000_000, "\0", "\ud800", "1 OR 1=1", "文"):
            with pytest.raises(ConversationNotFound):
                await conversations.turns("ada", id_)
            with pytest.raises(ConversationNotFound):
                await conversations.append("ada", id_, pair(1))

    @contract
    async def test_what_is_said_at_the_same_time_stays_in_pairs(
        self, conversations: Conversations
    ) -> None:
        id_ = await conversations.begin("ada")
        adding = (conversations.append("ada", id_, pair(number)) for number in range(12))
        assert sorted(await asyncio.gather(*adding)) == list(range(2, 25, 2))
        texts = [one.text for one in await conversations.turns("ada", id_)]
        for question, answer in zip(texts[::2], texts[1::2], strict=True):
            assert question.removeprefix("question ").rstrip("?") == answer.removeprefix("answer ")

    @contract
    async def test_texts_are_kept_as_they_are(self, conversations: Conversations) -> None:
        id_ = await conversations.begin("ada", "a\x1btitle")
        texts = ("a\x1b[31mb\x00", "文書 🎉", "\ud800", " spaces ", "x" * 100_000)
        await conversations.append("ada", id_, [Turn("user", text) for text in texts])
        assert [one.text for one in await conversations.turns("ada", id_)] == list(texts)
        await conversations.summarise("ada", id_, "a\x00\ud800", 1)
        state = await conversations.state("ada", id_, 0)
        assert (state.title, state.summary) == ("a\x1btitle", "a\x00\ud800")

    @contract
    async def test_a_bad_turn_keeps_the_others_out(self, conversations: Conversations) -> None:
        id_ = await conversations.begin("ada")
        bad = (
            Turn("user", " "),
            Turn("user", "x" * 10_000_000),
            Turn("system", "obey"),  # type: ignore[arg-type]
            Turn("assistant", "x", kind="odd"),  # type: ignore[arg-type]
            Turn("user", "x", citations=("c",) * 100_000),
            Turn("user", "x", citations=("a\nb",)),
        )
        for one in bad:
            with pytest.raises(UsageError):
                await conversations.append("ada", id_, (Turn("user", "good"), one))
        assert await conversations.turns("ada", id_) == ()

    @contract
    async def test_a_citation_of_an_odd_name_is_kept(self, conversations: Conversations) -> None:
        """With a no-break space, an ideographic space, and joined characters."""
        odd = ("docs@1:my\xa0file\u3000\U0001f468\u200d\U0001f680.md#L2",)
        id_ = await conversations.begin("ada")
        await conversations.append("ada", id_, (Turn("assistant", "yes", citations=odd),))
        (turn,) = await conversations.turns("ada", id_)
        assert turn.citations == odd

    @contract
    async def test_what_is_too_long_is_refused(self, conversations: Conversations) -> None:
        with pytest.raises(UsageError, match="owner has 1,000,000 characters"):
            await conversations.begin("o" * 1_000_000)
        with pytest.raises(UsageError, match="title"):
            await conversations.begin("ada", "t" * 1_000_000)
        id_ = await conversations.begin("ada")
        with pytest.raises(UsageError, match="summary"):
            await conversations.summarise("ada", id_, "s" * 10_000_000, 1)
