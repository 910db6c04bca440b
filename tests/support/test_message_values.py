"""A copied message is found in the code that raises it, whatever values it was filled with."""

from __future__ import annotations

import time

import pytest

from pincite.support.message_values import Message

RAISES = 'raise OSError(f"Connect error on fd {fd}: {error}")'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Cannot open /tmp/a.db: 17", "Cannot open  "),
        ("at 0x7f1 of 10.0.0.1:5672", "at  of "),
        ("lost amqp://guest@localhost:5672// (pid=17)", "lost (pid=)"),
        ("in C:\\Users\\a.txt, in ~/a, in ../b/c", "in  in  in "),
        ("at 2026-11-29T17:00 for 30s", "at  for "),
        ("needs utf-8 or read/write of app/a.py, 17", "needs utf-8 or read/write of app/a.py, "),
    ],
)
def test_paths_numbers_and_addresses_are_values(text: str, left: str) -> None:
    assert Message(text).without_values.replace("\n", "").split() == left.split()


@pytest.mark.parametrize(
    "text",
    [
        *("no values here", "", "17", "/tmp/a.db", "removed in Django 5.0", "Python 3.11.1"),
        *("how do I open port 8080", "Where is 404 raised?", "is 17 a prime"),
    ],
)
def test_other_texts_have_none(text: str) -> None:
    message = Message(text)
    assert message.without_values == ""
    assert not message.is_in(text)


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("Connect error on fd 17: [Errno 111] Connection refused", True),
        ("ERROR:app.stream:connect error on fd 17", True),
        ("error 17", False),
        ("Connect error 17 on fd", False),  # no run of three words
        ("Connect error on a socket of the pool of an application that is unknown: 17", False),
    ],
)
def test_the_code_has_the_message_in_runs_of_words(text: str, is_there: bool) -> None:
    assert Message(text).is_in(RAISES) is is_there


@pytest.mark.parametrize("part", ["1:", "a/", "1-", "./", "1", "1.", "a:", "a 1 "])
def test_long_hostile_texts_take_little_time(part: str) -> None:
    begun = time.process_time()
    Message(part * 5_000).is_in(part * 3_000)
    assert time.process_time() - begun < 0.5


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("d must be in [365]", "the name must be in the list"),
        ('"GET /index.html HTTP/1.1" 200 1043', "speaks HTTP/1.1 to the server"),
        ("choices are a list of 42", "returns a list of names"),
        ("release 4000.5000.6000 at 17", "supports 4000.5000.6000 only"),  # digits are no words
    ],
)
def test_runs_of_common_words_are_no_message(message: str, text: str) -> None:
    assert not Message(message).is_in(text)
