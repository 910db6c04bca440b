"""Escape sequences hide no words, and cost no more than other text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.providers.sparse import escapes
from pincite.providers.sparse.analyser import Analyser
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.escapes import without_escapes

ENGLISH = Analyser("english")
WORDS = ["disk", "full", "Error", "server"]

sequences = st.one_of(
    st.from_regex(r"\x1b\[[0-?]{0,9}[ -/]{0,2}[@-~]", fullmatch=True),
    st.from_regex(r"\x1b\][ -~]{0,30}(\x07|\x1b\\)", fullmatch=True),
    st.from_regex(r"\x1b[PX^_][ -~]{0,30}\x1b\\", fullmatch=True),
    st.sampled_from(["\x1b(B", "\x1b)0", "\x1b7", "\x1b8"]),
)


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("\x1b[31merror\x1b[0m", ["error"]),
        ("\x1b[1;38;2;255;0;0mdisk\x1b[m full", ["disk", "full"]),
        ("\x1b[38:5:9mdisk\x1b[2 qfull", ["disk", "full"]),
        ("\x1b]8;;https://hidden.test/page\x1b\\disk\x1b]8;;\x1b\\full", ["disk", "full"]),
        ("\x1b]0;hidden\x07disk", ["disk"]),
        ("\x1b(B\x1b[mdisk\x1b7full", ["disk", "full"]),
        ("disk\x1b[32mfull", ["disk", "full"]),
        ("\x1b[31m东京\x1b[0m", ["东京", "东", "京"]),
    ],
)
def test_words_between_sequences_are_found(written: str, terms: list[str]) -> None:
    assert ENGLISH.terms(written) == terms


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("\x1bdisk full", "disk"),
        ("\x1b]disk full", "full"),
        ("\x1b]disk\nfull\x07", "full"),
        ("\x1b]disk\x1b[31mfull\x07", "full"),
        ("\x1b", ""),
        ("\\x1b]disk full", "full"),
    ],
)
def test_an_incomplete_sequence_hides_no_word_after_it(written: str, found: str) -> None:
    assert set(ENGLISH.terms(found)) <= set(ENGLISH.terms(written))
    assert "full" not in written or "full" in ENGLISH.terms(written)


@given(st.lists(st.tuples(sequences, st.sampled_from(WORDS)), min_size=1, max_size=8))
def test_coloured_words_have_the_weights_of_plain_ones(pairs: list[tuple[str, str]]) -> None:
    encoder = Bm25Encoder()
    coloured = "".join(sequence + word for sequence, word in pairs)
    plain = " ".join(word for _, word in pairs)
    assert encoder.encode_document(coloured, 5.0) == encoder.encode_document(plain, 5.0)
    assert encoder.encode_query(coloured) == encoder.encode_query(plain)


@given(st.text(st.sampled_from("\x1b[]0;mPX_^\\\x07\n (Bdé东")))
@example("\x1b]\x1b]\x1b\\")
def test_no_offset_moves_and_only_sequences_become_blank(text: str) -> None:
    blanked = without_escapes(text)
    assert len(blanked) == len(text)
    assert blanked.count("\n") == text.count("\n")
    assert all(new in (old, " ") for new, old in zip(blanked, text, strict=True))
    for start, end, terms in ENGLISH.units(text):
        assert tuple(ENGLISH.terms(text[start:end])) == terms


@given(st.text(st.characters(exclude_characters="\x1b")))
def test_a_text_without_escapes_is_the_same_object(text: str) -> None:
    assert without_escapes(text) is text


_HOSTILE = ["\x1b", "\x1b[", "\x1b[0", "\x1b]", "\x1b]x", "\x1bP\x1b", "\x1b]0;\x1b\\", "\x1b[ "]


@pytest.mark.parametrize("tail", ["", "0" * 1_000, "\x07", "\x1b\\", "m", "x\x07"])
@pytest.mark.parametrize("piece", _HOSTILE)
def test_hostile_texts_are_read_in_one_pass(piece: str, tail: str) -> None:
    # Counted, not timed: an attempt at an ESC needs no character after the one that follows the
    # next ESC, so all attempts together read each character a few times.
    text = piece * 500 + tail
    starts = [at for at, one in enumerate(text) if one == escapes._ESCAPE]
    needed = 0
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        whole = escapes._SEQUENCE.match(text, start)
        part = escapes._SEQUENCE.match(text[start : following + 2])
        assert (whole and whole[0]) == (part and part[0])
        needed += following + 2 - start
    assert needed <= 3 * len(text)
    assert len(without_escapes(text)) == len(text)


@pytest.mark.parametrize("piece", _HOSTILE)
def test_a_large_hostile_text_does_not_hang(piece: str) -> None:
    assert len(without_escapes(piece * 300_000)) == 300_000 * len(piece)
