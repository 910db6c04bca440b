from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.readers.decoding import decode


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"plain\r\n", "plain\r\n", "utf-8"),
        ("größe".encode(), "größe", "utf-8"),
        (b"\xef\xbb\xbfmarked", "\ufeffmarked", "utf-8"),
        ("wörd".encode("utf-16"), "\ufeffwörd", "utf-16-le"),
        (b"\xfe\xff\x00a", "\ufeffa", "utf-16-be"),
        ("wörd".encode("utf-32"), "\ufeffwörd", "utf-32-le"),
        (b"gr\xf6\xdfe \x80", "größe €", "cp1252"),
        (b"\x81\xf6", "\x81ö", "latin-1"),
        (b"\xff\xfea", "ÿþa", "cp1252"),
    ],
)
def test_the_encoding_is_what_the_bytes_say(raw: bytes, text: str, encoding: str) -> None:
    assert decode(raw) == (text, encoding)


@given(st.binary(max_size=60))
def test_no_byte_is_ever_lost(raw: bytes) -> None:
    text, encoding = decode(raw)
    assert raw.decode(encoding) == text
    assert text.encode(encoding) == raw
