"""Few requests, in order, and small enough in the end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import BadResponse, ConfigError, Invalid, TooLarge, Unavailable
from pincite.providers.batching import Batches, Limits, plan
from pincite.providers.tokens import estimate_tokens


def fewest(costs: Sequence[int], limits: Limits) -> int:
    """The least number of consecutive ranges, by trying all."""
    best = [0] + [len(costs)] * len(costs)
    for stop in range(1, len(costs) + 1):
        for start in range(stop):
            part = costs[start:stop]
            fits = len(part) <= (limits.items or len(part))
            fits = fits and (len(part) == 1 or sum(part) <= (limits.tokens or sum(part)))
            if fits:
                best[stop] = min(best[stop], best[start] + 1)
    return best[-1]


@given(
    st.lists(st.integers(0, 12), max_size=24),
    st.integers(0, 5),
    st.integers(0, 20),
)
def test_no_plan_in_order_has_fewer_requests(costs: list[int], items: int, tokens: int) -> None:
    limits = Limits(items, tokens)
    ranges = plan(costs, limits)
    assert [i for one in ranges for i in one] == list(range(len(costs)))
    assert len(ranges) == fewest(costs, limits)
    for one in ranges:
        assert len(one) <= (items or len(one))
        assert len(one) == 1 or not tokens or sum(costs[i] for i in one) <= tokens


def test_estimates_are_ceil_chars_by_three_and_more_beyond_ascii() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("abcd") == 2
    assert estimate_tokens("文書") == 3  # six bytes
    assert estimate_tokens("abc文") == 3  # 3/3 + 3/2, rounded up


@dataclass
class Server:
    """Answers with the length of each text; refuses as told."""

    items: int = 10**9
    chars: int = 10**9
    each: int = 10**9
    sent: list[list[str]] = field(default_factory=list)
    now: int = 0
    most: int = 0

    async def send(self, texts: Sequence[str]) -> list[int]:
        self.sent.append(list(texts))
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        if len(texts) > self.items or sum(map(len, texts)) > self.chars:
            raise TooLarge("the batch is too large")
        if max(map(len, texts)) > self.each:
            raise TooLarge("a text is too large")
        return [len(text) for text in texts]


def run(
    server: Server, texts: Sequence[str], limits: Limits, *, cut: bool = False
) -> dict[int, int]:
    found: dict[int, int] = {}

    def take(start: int, results: Sequence[int]) -> None:
        for place, result in enumerate(results, start):
            assert place not in found
            found[place] = result

    def shrink(text: str, tries: int) -> str | None:
        return text[: len(text) // 2] if len(text) > 1 else None

    batches = Batches(limits, server.send, len, shrink if cut else None)
    asyncio.run(batches.run(texts, take))
    return found


def test_every_text_gets_its_own_result_and_concurrency_is_bounded() -> None:
    server = Server()
    texts = ["x" * (n % 17) for n in range(500)]
    found = run(server, texts, Limits(items=7, tokens=40, concurrency=3))
    assert found == dict(enumerate(map(len, texts)))
    assert server.most == 3
    assert len(server.sent) == len(plan([len(t) for t in texts], Limits(7, 40)))


def test_a_refused_batch_is_halved_and_the_size_is_remembered() -> None:
    server = Server(items=8)
    found = run(server, ["a"] * 320, Limits(items=64, concurrency=1))
    assert found == dict.fromkeys(range(320), 1)
    refused = [one for one in server.sent if len(one) > 8]
    assert [len(one) for one in refused] == [64, 32, 16, 16, 32, 16, 16]
    assert len(server.sent) - len(refused) == 320 / 8


def test_one_large_text_does_not_make_all_requests_small() -> None:
    server = Server(each=100)
    texts = ["a"] * 64
    texts[5] = "b" * 150
    found = run(server, texts * 2, Limits(items=64, concurrency=1), cut=True)
    assert found[5] == 75
    texts[5] = "a"
    before = len(server.sent)
    run(server, texts, Limits(items=64, concurrency=1))
    assert len(server.sent) == before + 1


def test_a_text_too_large_alone_fails_by_its_number() -> None:
    with pytest.raises(
        TooLarge, match=r"item 3 alone exceeds the limit.*a text is too large"
    ) as caught:
        run(Server(each=5), ["a", "b", "c", "d" * 6, "e"], Limits(items=4))
    assert "oversize" in caught.value.hint


def test_a_text_that_cannot_be_cut_small_enough_fails() -> None:
    with pytest.raises(TooLarge, match="item 0"):
        run(Server(each=0), ["abcdef"], Limits(), cut=True)


def test_a_wrong_number_of_results_is_never_used() -> None:
    class Short(Server):
        async def send(self, texts: Sequence[str]) -> list[int]:
            return [1] * (len(texts) - 1)

    with pytest.raises(BadResponse, match="expected 5 results, got 4"):
        run(Short(), ["a"] * 5, Limits())


def test_the_first_error_ends_all_requests() -> None:
    class Failing(Server):
        async def send(self, texts: Sequence[str]) -> list[int]:
            self.sent.append(list(texts))
            if len(self.sent) == 2:
                raise Unavailable("gone")
            await asyncio.sleep(30)
            return [1]

    server = Failing()
    with pytest.raises(Unavailable):
        run(server, ["a"] * 100, Limits(items=1, concurrency=4))
    assert len(server.sent) <= 4


@pytest.mark.parametrize("isolate", [True, False])
def test_a_refused_item_is_isolated_and_what_was_accepted_is_taken(isolate: bool) -> None:
    sent: list[int] = []
    taken: list[int] = []

    async def send(items: Sequence[int]) -> Sequence[int]:
        sent.append(len(items))
        if 40 in items:
            raise Invalid("refused for its content")
        await asyncio.sleep(0.01)
        return items

    batches = Batches(
        Limits(items=32, concurrency=2), send, lambda _: 1, probe=-1 if isolate else None
    )
    with pytest.raises(Invalid, match="refused for its content") as caught:
        asyncio.run(batches.run(range(96), lambda _, part: taken.extend(part)))
    assert caught.value.item == (40 if isolate else None)
    assert set(range(32)) <= set(taken)  # was on its way
    assert len(sent) <= (4 + 2 * 5 if isolate else 2)


def test_a_server_that_refuses_everything_refuses_no_item() -> None:
    sent: list[Sequence[int]] = []

    async def send(items: Sequence[int]) -> Sequence[int]:
        sent.append(items)
        raise Invalid("This model does not support specifying dimensions.")

    batches = Batches(Limits(items=32, concurrency=1), send, lambda _: 1, probe=-1)
    with pytest.raises(Invalid, match="does not support specifying dimensions") as caught:
        asyncio.run(batches.run(range(96), lambda _, part: None))
    assert caught.value.item is None
    assert [len(items) for items in sent] == [32, 1]


def test_no_items_need_no_request() -> None:
    server = Server()
    assert run(server, [], Limits(items=4)) == {}
    assert server.sent == []


def test_limits_that_cannot_be_are_refused() -> None:
    for values in ({"items": -1}, {"concurrency": 0}):
        with pytest.raises(ConfigError):
            Limits(**values)
