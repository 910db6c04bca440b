from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig, context_line, estimate_word_pieces
from pincite.chunkers.budget import cumulative_cost
from pincite.chunkers.context import CONTEXT_CHARS, context_cost
from pincite.chunkers.small_texts import SmallTexts, costs
from pincite.chunkers.token_weights import CAMEL_WEIGHT, CLASSES, LEVELS, STEP, WEIGHTS
from pincite.errors import ConfigError
from tests.chunkers.laws import lawful_chunks


@pytest.mark.parametrize(
    ("text", "pieces"),  # counted with BERT's uncased tokenizer
    [
        ("", 0),
        ("   \n\n\t", 0),
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("def read_document(raw, *, source, path, ref):", 17),
        ("getUserName(HTTPServer)", 8),
        ("漢字仮名交", 5),
        ("Donaudampfschifffahrtsgesellschaft", 13),
        ("if x == 1 and y != 2: return {'a': [1, 2, 3]}", 27),
    ],
)
def test_the_estimate_is_near_the_tokenizer(text: str, pieces: int) -> None:
    assert abs(estimate_word_pieces(text) - pieces) <= max(1, pieces * 0.25)


@given(st.text(max_size=60))
def test_costs_never_fall_and_never_depend_on_what_follows(text: str) -> None:
    costs = cumulative_cost(text)
    assert len(costs) == len(text) + 1
    assert (costs[1:] >= costs[:-1]).all()
    for end in range(0, len(text), 7):
        # only a capital looks ahead: does a small letter follow it?
        assert cumulative_cost(text[:end])[-1] == pytest.approx(costs[end], abs=2 * 63 * STEP)


@given(st.text() | st.text(st.sampled_from("aBcXYZ 1_é—漢\n"), max_size=60))
@example("".join(map(chr, range(0x3100))) + "\ud800\U0001f600")
@example("getUserName(HTTPServer) ABCd aB")
def test_the_costs_are_the_same_without_numpy(text: str) -> None:
    assert costs(text) == cumulative_cost(text).tolist()


def test_files_are_cut_alike_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path(__file__)
    paths = [here, here.parents[1] / "quick_folder.py", here.parents[2] / "README.md"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    texts |= {"long.md": "A word, and another one. " * 400, "long.py": f"x = {'aB ' * 900!r}\n"}
    texts |= {"wide.txt": "漢字仮名交 " * 600, "page.html": "<p>One <b>two</b></p>\n" * 90}

    def cut_up() -> list[object]:
        estimated: list[object] = [estimate_word_pieces(text) for text in texts.values()]
        return estimated + [lawful_chunks(name, text) for name, text in texts.items()]

    with_numpy = cut_up()
    taken: list[str] = []

    def take(self: SmallTexts, text: str) -> bool:
        taken.append(text)
        return True

    monkeypatch.setattr(SmallTexts, "take", take)
    assert cut_up() == with_numpy
    assert set(texts.values()) <= set(taken)


def test_only_texts_of_a_small_run_do_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    small = SmallTexts()
    small.expect(5)
    assert not small.take("numpy is there")
    monkeypatch.delitem(sys.modules, "numpy")
    assert small.take("x" * 799_999)
    for _ in range(3):  # sources of one process share what there is
        small.expect(400_000)
        assert not small.take("xx")
    assert small.take("x")
    other = SmallTexts()
    assert not other.take("nothing is expected")
    other.expect(400_001)
    assert not other.take("a large source")


def test_the_sum_is_that_of_the_weights_by_hand() -> None:
    def weight(before: int, kind: int) -> float:
        return LEVELS.index(WEIGHTS[before * CLASSES + kind]) * STEP

    # a begins a word, B is a capital after a small letter, a space ends the word in b, c begins
    # one, "." is a mark after c
    space, mark, a, b, c = 0, 1, 2, 3, 4
    camel = LEVELS.index(CAMEL_WEIGHT) * STEP
    expected = weight(0, a) + camel + weight(b, space) + weight(space, c) + weight(c, mark)
    assert cumulative_cost("aB c.")[-1] == pytest.approx(expected)


def test_the_table_of_weights_is_complete() -> None:
    assert len(WEIGHTS) == CLASSES * CLASSES
    assert set(WEIGHTS + CAMEL_WEIGHT) <= set(LEVELS)


def test_the_context_line_is_short_however_long_the_path() -> None:
    line = context_line("A title", tuple("very long heading " * 9 for _ in range(7)), "d/" * 99)
    assert len(line) <= CONTEXT_CHARS
    assert context_cost("t", (), "p") < context_cost("t", ("much longer heading",), "p")


def test_the_context_line_says_nothing_twice() -> None:
    assert context_line("a.py", ("Foo", "bar"), "src/a.py") == "src/a.py > Foo > bar"
    assert context_line("One", ("One", "Two"), "a.md") == "a.md > One > Two"
    assert context_line("Guide", ("One",), "a.md") == "a.md > Guide > One"


@pytest.mark.parametrize("sizes", [(8, 200, 10), (300, 200, 10), (100, 200, 0)])
def test_sizes_that_contradict_each_other_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ConfigError):
        ChunkerConfig(*sizes)


def test_the_fingerprint_names_every_size() -> None:
    prints = {
        ChunkerConfig(*sizes).fingerprint
        for sizes in ((100, 200, 10), (101, 200, 10), (100, 201, 10), (100, 200, 11))
    }
    assert len(prints) == 4


def test_no_chunk_is_estimated_above_the_limit() -> None:
    text = "".join(f"## Part {n}\n\n" + "words of a paragraph. " * n + "\n\n" for n in range(60))
    config = ChunkerConfig(60, 100, 20)
    for chunk in lawful_chunks("docs/a.md", text, config):
        paid = context_cost(chunk.title, chunk.headings, chunk.path)
        assert estimate_word_pieces(chunk.text) + paid <= config.max_tokens + 1


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_what_follows_in_other_letters_changes_no_cost(text: str) -> None:
    assert list(cumulative_cost(f"{text}  é")[: len(text) + 1]) == list(cumulative_cost(text))
