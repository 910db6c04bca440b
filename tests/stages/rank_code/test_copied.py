"""Text that a question has copied from a passage."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Candidate, Question, Signal
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.copied import Copied
from tests.builders import chunk
from tests.time_limits import GROWS_S

RAISES = 'if delay is None:\n    raise TypeError("delay must not be None")\n'


@pytest.mark.parametrize(
    ("question", "text", "copied", "words"),
    [
        ("delay must not be None", RAISES, 5, 5),
        ("TypeError: delay must not be None", RAISES, 5, 5),  # the name before it does not count
        ("Delay MUST not be none", RAISES, 5, 5),
        ("must not", RAISES, 0, 2),  # two words say nothing
        ("be none delay must not", RAISES, 3, 5),
        ('why do I see "delay must not be None" after a call of mine?', RAISES, 5, 5),
        ("why do I see `delay must not be None`?", RAISES, 5, 5),
        ("it's not what isn't there, it's gone", RAISES, 0, 10),
        ("if delay is None: raise", RAISES, 4, 4),
        ("raise a value that is no delay", RAISES, 0, 7),
        ("open file a of b in folder c", "open file a of the b in folder c", 8, 8),
        ("delay must not be None: got 5.", RAISES, 5, 5),
        ("Delay must not. Undefined method x", RAISES, 3, 3),
        ("delay must: not be None", RAISES, 3, 5),
        ("delay must not be None at /tmp/a.b/c.py", RAISES, 5, 6),  # values do not count
        ("delay must not be None after 5000ms", RAISES, 5, 6),
        ("how do I call it with 5", "how do I call it with a", 6, 7),
        ("what's the use of it at /x", "what's the use of it at", 7, 8),
        ("can I open the file at /x", "can I open the file at", 6, 7),
        ("I want to call it with 5", "I want to call it with a", 6, 7),
        ("can not open the file at /x", "can not open the file at", 6, 6),
        ("I/O error in the file at /x", "I/O error in the file at", 7, 7),
        ("Why 'can not open the file at /x'?", "can not open the file at", 6, 6),
        ("delay must not be None in app.Worker", RAISES, 5, 8),
        ("how to use the a.b.c", "how to use the d", 4, 7),
        ("must not be /x/y", RAISES, 3, 5),
        ("delay must not be", "open a.b at 5 in delay must not be", 4, 4),
        ("call a.b.c now with /x/y", "call a.b.c now with /x/z", 6, 6),
        ("see a.b.c at 5", "see a.b.c at 5", 6, 6),  # too few words are left without values
        ("", RAISES, 0, 1),
        ("...", "...", 0, 1),
    ],
)
def test_runs_of_words_count(question: str, text: str, copied: int, words: int) -> None:
    expected = (copied / words) ** 4 * min(1, copied / 6) ** 2
    assert Copied(question).parts([text])[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        ("--width", 'add_argument("-w", "--width")', 1.0),
        ("python -m calendar --width", 'add_argument("-w", "--width")', 1.0),
        ("--width", "parser --width-of-column", 0.0),
        ("--width", "x--width", 0.0),
        ("--Width and --height", "--width", 0.5),
        ("a -- width", "--width", 0.0),
    ],
)
def test_flags_count_with_their_dashes(question: str, text: str, part: float) -> None:
    assert Copied(question).parts([text])[0] == part


@given(st.text(max_size=80), st.text(max_size=200))
def test_a_part_is_a_share_and_a_copy_is_all_of_it(question: str, around: str) -> None:
    copied = Copied(question)
    assert 0 <= copied.parts([around])[0] <= 1
    whole = copied.parts([f"{around}\n{question}\n{around}"])[0]
    assert whole == 0 or whole >= (3 / 6) ** 2


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("a " * 200, "a " * 700),
        ("a " * 5_000, "a " * 700),
        (" ".join(f"w{n}" for n in range(200)), " ".join(f"w{n}" for n in range(200))),
        (" ".join(f"--f{n:x}" for n in range(2_000)), "x --f1 " * 600),
        ('"' + "'`\"" * 4_000, "'`\"" * 500),
    ],
)
def test_hostile_questions_are_compared_in_no_time(question: str, text: str) -> None:
    begun = time.process_time()
    copied = Copied(question)
    for number in range(100):
        assert 0 <= copied.parts([f"{text}{number}"])[0] <= 1
    assert time.process_time() - begun < GROWS_S / 10


@pytest.mark.parametrize(
    "filling",
    [
        *(" {0}\n {0}x", '{0}" +{0}+ "', "%{1}x", '"{2}', "{3}", '"\\{4}', '"' + "'{5}"),
        *("${{{1}", "{6}\n", '" +\n{0}+\n"'),
    ],
)
def test_hostile_passages_are_compared_in_no_time(filling: str) -> None:
    long = 20_000
    made = filling.format(
        *(" " * long, "0" * long, "\\" * long, "\"'`" * long, "x\\" * long, "\"'" * long),
        '"\n"' * long,
    )
    text = f'raise Error("the option port %s requires a value"{made}'
    begun = time.process_time()
    copied = Copied("the option port requires a value")
    assert 0 <= copied.parts([text, f'"{made}'])[0] <= 1
    assert time.process_time() - begun < GROWS_S / 5


def test_a_run_is_found_from_any_of_its_words_and_a_longer_text_has_none() -> None:
    words = [f"w{n}" for n in range(400)]
    copied = Copied(" ".join(words[:200]))
    assert copied.parts([" ".join(words[50:180])])[0] == pytest.approx((130 / 200) ** 4)
    assert Copied(" ".join(words)).parts([" ".join(words)])[0] == 0


def test_a_passage_with_the_copied_message_precedes_files_with_its_names() -> None:
    def one(name: str, score: float, path: str, text: str) -> Candidate:
        found = chunk(text, id=name, path=path, source_type="code")
        return Candidate("main", found, (Signal("fused", "normalised", score),))

    found = [
        one("types", 1.0, "types.py", "class NoneType: ..."),
        one("errors", 0.9, "type_error.py", "class TypeErrors: ..."),
        one("events", 0.6, "base_events.py", RAISES),
        one("events again", 0.7, "base_events.py", "def call_later(delay): ..."),
    ]

    def ranked(**values: Any) -> list[Candidate]:
        query = prepare(Question("TypeError: delay must not be None"), PrepareConfig())
        words = lambda text: frozenset(text.lower().split())  # noqa: E731
        config = RankCodeConfig(**values)
        return list(rank_code(query, found, words, config, frozenset(("main",))))

    assert ranked()[0].chunk.id == "events"
    part = next(one.value for one in ranked()[0].signals if one.name == "copied")
    assert part == pytest.approx(3 * (5 / 6) ** 2)
    assert ranked(copied=0.0)[0].chunk.id != "events"


def test_copied_text_is_found_in_any_of_many_passages() -> None:
    texts = [f"value {n}" for n in range(50)] + ["raise Error('the key has expired again')"]
    copied = Copied("The key has expired again")
    assert copied.parts(texts)[-1] > 0.6
    assert copied.parts(texts)[:-1] == [0.0] * 50
    assert copied.parts(texts[::-1]) == copied.parts(texts)[::-1]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("store.find( key, default = None )", "    value = store.find(key, default=None)\n"),
        ("for(int i=0;i<count;i++)", "for (int i = 0; i < count; i++) {"),
        ("rows[ first:last ]  =  values", "rows[first:last] = values"),
    ],
)
def test_a_line_of_code_is_copied_whatever_blanks_are_next_to_its_signs(
    question: str, code: str
) -> None:
    copied = Copied(question)
    assert copied.parts([f"def f():\n    {code}"]) == copied.parts([question])
    assert copied.parts([question, "nothing"]) == [copied.parts([question])[0], 0]
    assert copied.parts([question])[0] >= (4 / 6) ** 2


def test_blanks_between_words_are_kept() -> None:
    assert Copied("re turn(value of key)").parts(["return(valueofkey)"]) == [0]


def test_literals_are_joined_only_for_a_message_or_a_quote() -> None:
    """The words of a question are in code by chance."""
    code = 'raise Error("how is "\n    "the received "\n    "message split")\n'
    question = "how is the received message split"
    assert Copied(question).parts([code])[0] == 0
    assert Copied(f"{question}?").parts([code])[0] == 0
    assert Copied("the received message split").parts([code])[0] > 0.1
    assert Copied('why do I see "the received message split"?').parts([code])[0] > 0.1
