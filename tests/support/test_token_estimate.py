"""An estimate of tokens that errs on the high side."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from pincite.providers.tokens import tokenizer_counter, tokenizer_cutter
from pincite.support.token_estimate import cut_estimated, estimate_tokens

ROOT = Path(__file__).parents[2]
TEXTS = {
    "code": (ROOT / "src/pincite/stages/fuse.py").read_text(encoding="utf-8"),
    "prose": (ROOT / "README.md").read_text(encoding="utf-8"),
    "german": "Die Donaudampfschifffahrtsgesellschaft prüft, ob der Schlüssel gültig ist. " * 40,
    "chinese": "密钥每三十天轮换一次，旧密钥在一小时内仍然有效。" * 60,
    "hex": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" * 30,
    "emoji": "🎉🔑😀 " * 300,
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer of bytes, learned from these pages; hex is the one text that it does not know."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    known = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")]
    own = [text for name, text in TEXTS.items() if name != "hex"]
    known += own
    # Sentences by themselves, so that their first words are known, whatever the pages say.
    known += [sentence for text in own for sentence in text.split(". ")]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=8_000, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(known, trainer)
    place = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(place))
    return place


@pytest.fixture(scope="module")
def tokenizer(file: Path) -> Tokenizer:
    return Tokenizer.from_file(str(file))


def count(tokenizer: Tokenizer, text: str) -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("most", [1, 7, 200])
def test_what_is_kept_has_never_more_tokens_than_are_allowed(
    tokenizer: Tokenizer, file: Path, name: str, most: int
) -> None:
    text = TEXTS[name]
    estimated = cut_estimated(text, most)
    exact = tokenizer_cutter(file)(text, most)
    assert text.startswith(estimated)
    assert text.startswith(exact)
    assert count(tokenizer, estimated) <= most
    assert count(tokenizer, exact) <= most
    assert len(exact) >= len(estimated)


def test_what_fits_is_kept_as_it_is(file: Path) -> None:
    text = "  a key,\n\trotated \udcff "
    assert cut_estimated(text, 100) == text
    assert tokenizer_cutter(file)(text, 100) == text
    assert tokenizer_counter(file)(text) == tokenizer_counter(file)(text.replace("\udcff", "?"))


def test_a_text_without_end_is_cut_in_time(file: Path) -> None:
    endless = "x" * 50_000_000
    assert len(cut_estimated(endless, 1200)) < 5_000
    assert len(tokenizer_cutter(file)(endless, 1200)) <= 120_000


@pytest.mark.parametrize("name", TEXTS)
def test_an_estimate_is_never_below_the_count_and_is_what_cutting_goes_by(
    tokenizer: Tokenizer, name: str
) -> None:
    text = TEXTS[name]
    most = estimate_tokens(text)
    assert most >= count(tokenizer, text)
    assert cut_estimated(text, most) == text
    assert cut_estimated(text, most - 1) != text


def test_texts_with_blank_lines_between_them_have_the_sum() -> None:
    parts = ["A key", "rotated: ```", "漢字", "x" * 50]
    between = estimate_tokens("\n\n")
    assert between == 3
    whole = estimate_tokens("\n\n".join(parts))
    assert whole == sum(map(estimate_tokens, parts)) + 3 * between


@given(
    st.text(st.sampled_from("aAbZ xX\n\t\r\x0b\x1c\x85\xa0\u3000\u2028é—中🎉1._\udcff\x00\x7f"))
    | st.text()
)
@example("HTTPServer  ok\n\n\tif x: return\u3000 \xa0")
@example("a" * 21 + "B" * 21)
def test_an_estimate_is_the_least_that_keeps_the_whole_text(text: str) -> None:
    whole = f"{text}."  # white space at the end is cut off
    least = estimate_tokens(whole)
    assert cut_estimated(whole, least) == whole
    assert cut_estimated(whole, least - 1) != whole
