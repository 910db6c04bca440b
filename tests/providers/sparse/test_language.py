from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import UsageError
from pincite.providers.sparse.analyser import Analyser
from pincite.providers.sparse.function_words import FUNCTION_WORDS
from pincite.providers.sparse.language import guess_language, stemmer_for
from pincite.providers.sparse.languages import KNOWN, STEMMED, UNSPACED, named_language

QUESTIONS = {
    "arabic": "كيف أقوم بتشغيل الخادم؟",
    "catalan": "Com puc configurar el servidor amb això?",
    "chinese": "如何使用 pip 安装这个 package？",
    "czech": "Jak spustit server a co to je?",
    "danish": "Hvordan starter jeg serveren, og hvad er det?",
    "dutch": "Hoe kan ik de server starten?",
    "english": "How do I configure the logger?",
    "finnish": "Miten palvelin käynnistetään ja mitä se on?",
    "french": "Comment configurer le serveur pour la production ?",
    "german": "Wie kann ich den Server starten?",
    "greek": "Πώς ξεκινάω τον διακομιστή;",
    "hebrew": "איך מפעילים את השרת?",
    "hindi": "मैं सर्वर कैसे शुरू करूं?",
    "hungarian": "Hogyan lehet elindítani a szervert?",
    "indonesian": "Bagaimana cara menjalankan server?",
    "italian": "Come posso configurare il server?",
    "japanese": "サーバーを起動するにはどうすればよいですか？",
    "korean": "서버를 어떻게 시작합니까?",
    "norwegian": "Hvordan starter jeg serveren, og hva er det?",
    "persian": "چگونه سرور را راه‌اندازی کنم؟",
    "polish": "Jak uruchomić serwer?",
    "portuguese": "Como posso configurar o servidor?",
    "romanian": "Cum pot să pornesc serverul?",
    "russian": "Как запустить сервер?",
    "spanish": "¿Cómo puedo configurar el servidor?",
    "swedish": "Hur startar jag servern och vad är det?",
    "thai": "ฉันจะเริ่มเซิร์ฟเวอร์ได้อย่างไร",
    "turkish": "Sunucu nasıl başlatılır?",
    "ukrainian": "Як запустити сервер і що це?",
}


@pytest.mark.parametrize(("language", "question"), QUESTIONS.items())
def test_a_question_tells_its_language(language: str, question: str) -> None:
    assert guess_language(question) == language


@pytest.mark.parametrize(
    "code",
    [
        "def add(a, b):\n    return a + b\n",
        "for (int i = 0; i < n; i++) { k += s[i]; }",
        "getUserName()",
        "torch.nn.Linear",
    ],
)
def test_code_and_identifiers_count_as_english(code: str) -> None:
    assert guess_language(code) == "english"


@pytest.mark.parametrize("text", ["", "12 34", "🎉", "Bundesverfassungsgericht"])
def test_without_anything_to_go_by_the_language_is_unknown(text: str) -> None:
    assert guess_language(text) == "unknown"
    assert stemmer_for(guess_language(text)) == "english"


def test_function_words_belong_to_languages_that_have_a_stemmer() -> None:
    assert set(FUNCTION_WORDS) <= STEMMED


@pytest.mark.parametrize("language", sorted(STEMMED))
def test_every_language_makes_an_analyser(language: str) -> None:
    assert Analyser(language).terms("Linux") != []


@given(st.text(max_size=500))
def test_any_text_has_a_guess_and_every_guess_an_analyser(text: str) -> None:
    guess = stemmer_for(guess_language(text))
    assert Analyser(guess).terms("Linux") != []
    assert named_language(guess) == guess


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_every_guess_can_be_named(text: str) -> None:
    assert stemmer_for(guess_language(text)) in KNOWN


@pytest.mark.parametrize(
    ("given", "name"),
    [
        *(("german", "german"), ("German", "german"), ("de", "german"), ("EN", "english")),
        *(("Auto", "auto"), ("nb", "norwegian"), (" zh ", "chinese"), ("he", "hebrew")),
        *(("pt-BR", "portuguese"), ("zh_TW", "chinese"), ("sk", "slovak"), ("none", "none")),
    ],
)
def test_a_language_has_a_name_in_any_case_and_a_code(given: str, name: str) -> None:
    assert named_language(given) == name


def test_every_code_is_of_a_known_language_and_every_language_has_one() -> None:
    from pincite.providers.sparse.languages import _CODES

    assert set(_CODES.values()) == KNOWN - {"none"}
    assert STEMMED | UNSPACED < KNOWN


def test_a_language_without_a_stemmer_is_not_taken_for_another_one() -> None:
    assert named_language("bulgarian") == "bulgarian"
    with pytest.raises(UsageError) as caught:
        named_language("latin")
    assert caught.value.hint in ("", "latvian")


@pytest.mark.parametrize("given", ["klingon", "", "xx", "germ\x1ban", "unknown"])
def test_an_unknown_language_is_refused_with_the_known_ones(given: str) -> None:
    with pytest.raises(UsageError, match=r"it takes one of auto, arabic, .*, yiddish"):
        named_language(given)
