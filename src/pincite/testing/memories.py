"""Tests of what `Memory` promises."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pincite.errors import NotFound, UsageError
from pincite.ports import Memory
from pincite.testing.running import contract

#: Names of users that a store may confuse: wildcards, quotes, prefixes of each other, letters that
#: look or fold alike, white space and control characters.
LOOKALIKES = (
    *("ada", "Ada", "ada ", " ada", "ad", "adaa", "a%", "%", "_da", "ada%", "*", "ada*"),
    *("ada'", "ada' OR '1'='1", 'ada"', "ada;--", "ada\0", "ada\0b", "\0ada", "ada\n", "ada\t"),
    *("аda", "ada\u200b", "ａｄａ", "e\u0301", "\u00e9", "ﬁ", "fi", "İ", "i", "ß", "ss"),
    *("\ud800", "user_id", "null", "None", "0", "1", "{}", "../ada", "$ne", '{"$ne": null}'),
)


class MemoryContract:
    """Derive from it and let `opened` yield an empty memory that keeps texts unchanged."""

    @contract
    async def test_what_is_remembered_is_found_again(self, memory: Memory) -> None:
        (fact,) = await memory.remember("ada", "prefers tea without sugar")
        assert (fact.user, fact.text) == ("ada", "prefers tea without sugar")
        assert fact.id
        assert fact.at
        (found,) = await memory.recall("ada", "tea without sugar", 5)
        assert (found.id, found.text, found.user) == (fact.id, fact.text, "ada")
        assert found.score > 0

    @contract
    async def test_the_best_come_first_and_no_more_than_wanted(self, memory: Memory) -> None:
        await memory.remember("ada", "the printer stands in the cellar")
        await memory.remember("ada", "the green bicycle has a flat tyre")
        for number in range(8):
            await memory.remember("ada", f"a bicycle ride of day {number}")
        found = await memory.recall("ada", "the green bicycle has a flat tyre", 5)
        assert len(found) == 5
        assert found[0].text == "the green bicycle has a flat tyre"
        keys = [(-one.score, one.id) for one in found]
        assert keys == sorted(keys)
        assert await memory.recall("ada", "the green bicycle has a flat tyre", 5) == found
        assert await memory.recall("ada", "bicycle", 0) == ()

    @contract
    async def test_a_text_that_is_known_is_not_kept_twice(self, memory: Memory) -> None:
        (first,) = await memory.remember("ada", "works at night")
        again = await memory.remember("ada", "works at night")
        assert [one.id for one in again] == [first.id]
        assert len(await memory.facts("ada")) == 1

    @contract
    async def test_facts_are_listed_as_they_were_learned(self, memory: Memory) -> None:
        texts = [f"fact number {number}" for number in range(7)]
        for text in texts:
            await memory.remember("ada", text)
        assert [one.text for one in await memory.facts("ada")] == texts

    @contract
    async def test_facts_are_listed_page_by_page(self, memory: Memory) -> None:
        for number in range(7):
            await memory.remember("ada", f"fact number {number}")
        every = await memory.facts("ada")
        assert await memory.facts("ada", limit=3) == every[:3]
        assert await memory.facts("ada", every[2].id, 3) == every[3:6]
        assert await memory.facts("ada", every[5].id, 3) == every[6:]
        assert await memory.facts("ada", every[6].id, 3) == ()
        await memory.forget("ada", every[2].id)
        (others,) = await memory.remember("bob", "fact number 0")
        for id_ in (every[2].id, others.id, "x\0", "\ud800"):
            with pytest.raises(NotFound):
                await memory.facts("ada", id_, 3)
        with pytest.raises(UsageError, match="limit"):
            await memory.facts("ada", limit=0)

    @contract
    async def test_what_is_forgotten_is_gone(self, memory: Memory) -> None:
        (first,) = await memory.remember("ada", "likes mountains")
        await memory.remember("ada", "likes the sea")
        assert await memory.forget("ada", first.id) == 1
        assert await memory.forget("ada", first.id) == 0
        assert [one.text for one in await memory.facts("ada")] == ["likes the sea"]
        assert first.id not in {one.id for one in await memory.recall("ada", "mountains", 5)}
        assert await memory.forget("ada") == 1
        assert await memory.forget("ada") == 0
        assert await memory.facts("ada") == ()
        assert await memory.recall("ada", "sea", 5) == ()

    @contract
    async def test_only_an_empty_text_means_all_facts(self, memory: Memory) -> None:
        every = await memory.remember("ada", "likes mountains")
        wrong: tuple[Any, ...] = (None, 0, False, 5, [], b"")
        for one in (*wrong, " "):
            with pytest.raises(UsageError, match="fact"):
                await memory.forget("ada", one)
        for one in wrong:
            with pytest.raises(UsageError, match="after"):
                await memory.facts("ada", one)
        assert await memory.facts("ada") == every

    @contract
    async def test_what_is_forgotten_can_be_learned_again(self, memory: Memory) -> None:
        await memory.remember("ada", "likes mountains")
        await memory.forget("ada")
        await memory.remember("ada", "likes mountains")
        assert [one.text for one in await memory.facts("ada")] == ["likes mountains"]

    @contract
    async def test_users_that_look_alike_are_kept_apart(self, memory: Memory) -> None:
        for number, user in enumerate(LOOKALIKES):
            await memory.remember(user, f"the secret word of this user is quetzal{number}")
        for number, user in enumerate(LOOKALIKES):
            found = await memory.recall(user, "the secret word quetzal", 100)
            told = {one.text for one in found} | {one.text for one in await memory.facts(user)}
            assert told == {f"the secret word of this user is quetzal{number}"}
            assert {one.user for one in found} == {user}
        assert await memory.recall("nobody", "the secret word", 100) == ()

    @contract
    async def test_nobody_forgets_for_another(self, memory: Memory) -> None:
        (mine,) = await memory.remember("ada", "likes mountains")
        await memory.remember("bob", "likes mountains")
        assert await memory.forget("bob", mine.id) == 0
        for user in LOOKALIKES[1:]:
            assert await memory.forget(user, mine.id) == 0
            assert await memory.forget(user) == 0
        assert await memory.forget("bob") == 1
        assert [one.id for one in await memory.facts("ada")] == [mine.id]

    @contract
    async def test_texts_are_kept_as_they_are(self, memory: Memory) -> None:
        texts = ("a\x1b[31mb and\x00nul", "文書 🎉", 'it\'s "quoted" %s {x}', "line\nbreak")
        for text in texts:
            await memory.remember("ada", text)
        assert [one.text for one in await memory.facts("ada")] == list(texts)

    @contract
    async def test_what_says_nothing_is_refused(self, memory: Memory) -> None:
        await memory.remember("ada", "likes mountains")
        for user in ("", "  ", "\n"):
            with pytest.raises(UsageError, match="user"):
                await memory.remember(user, "text")
            with pytest.raises(UsageError, match="user"):
                await memory.recall(user, "text", 5)
            with pytest.raises(UsageError, match="user"):
                await memory.facts(user)
            with pytest.raises(UsageError, match="user"):
                await memory.forget(user)
        with pytest.raises(UsageError, match="text"):
            await memory.remember("ada", " \n")
        with pytest.raises(UsageError, match="query"):
            await memory.recall("ada", "", 5)

    @contract
    async def test_what_is_too_long_is_refused(self, memory: Memory) -> None:
        for user, text in (("u" * 1_000_000, "text"), ("ada", "x" * 10_000_000)):
            with pytest.raises(UsageError, match="characters"):
                await memory.remember(user, text)
        with pytest.raises(UsageError, match="characters"):
            await memory.recall("ada", "x" * 10_000_000, 5)
        for limit in (-1, 10**9):
            with pytest.raises(UsageError, match="limit"):
                await memory.recall("ada", "text", limit)
        assert await memory.facts("ada") == ()

    @contract
    async def test_many_at_a_time_are_all_kept(self, memory: Memory) -> None:
        texts = [f"the locker {number} is taken" for number in range(12)]
        await asyncio.gather(*(memory.remember("ada", text) for text in texts))
        assert sorted(one.text for one in await memory.facts("ada")) == sorted(texts)

    @contract
    async def test_the_fingerprint_is_one_printable_line(self, memory: Memory) -> None:
        assert memory.fingerprint
        assert memory.fingerprint.isprintable()
