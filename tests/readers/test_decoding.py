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


FOREIGN = {
    "gb18030": "图书馆的开放时间是上午九点到晚上八点。请在入口处登记。",
    "cp950": "圖書館的開放時間是上午九點到晚上八點。請在入口處登記。",
    "cp932": "温泉旅行の予約は三月十日までに必要です。受付でお名前を書いてください。",
    "euc_jp": "温泉旅行の予約は三月十日までに必要です。受付でお名前を書いてください。",
    "cp949": "도서관은 오전 아홉 시부터 저녁 여덟 시까지 엽니다. 입구에서 이름을 쓰세요.",
    "cp1251": "Библиотека открыта с девяти утра до восьми вечера. Запишитесь у входа.",
    "koi8_r": "Библиотека открыта с девяти утра до восьми вечера. Запишитесь у входа.",
}
WESTERN = [
    "Die Bücherei öffnet täglich außer Sonntag: Übergröße kostet 3 € – früher 2 €.",
    "L’été dernier, les élèves ont créé « un théâtre » à la forêt, où naît l’œuvre.",
    "¿Dónde está el niño? ¡Mañana por la mañana, señor! Años y pingüinos.",
    "São três horas da manhã; não há pão. Coração, órfã, avó, lições.",
    "Smörgåsbord på ön: räksmörgås, köttbullar, lingonsylt och gräddsås.",
    "Æblegrød på Ærø, rødgrød med fløde – så går vi hjem på gåben.",
    "Yötyöaikaäänioikeus ja hääyöaie: äiti lämmittää pöytää, ääh, öö!",
    "Það er ekkert að því að éta þorskýsu á Þingvöllum, sagði Æsa í dag.",
    "É",
    "éèêë",
    "ÄÖÜäöüß",
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
    "[àáâãäåèéêëìíîïòóôõöùúûü]+",
    "Ä" * 70,  # a line that DOS draws
    "ÉÍÍÍÍÍÍÍÍÍÍÍ»\nº menu café º\nÈÍÍÍÍÍÍÍÍÍÍÍ¼",
    "—————————— “”“”“” ………………",
]


@pytest.mark.parametrize("encoding", FOREIGN)
def test_an_older_encoding_of_another_script_is_recognised(encoding: str) -> None:
    text = FOREIGN[encoding]
    for one in (text, f"# plain\r\n\r\n{text}\r\n", f"int main(void) {{}} /* {text} */\n" * 3):
        assert decode(one.encode(encoding)) == (one, encoding)


@pytest.mark.parametrize("text", WESTERN)
def test_a_western_text_is_never_taken_for_another_script(text: str) -> None:
    for one in (text, text.upper(), f"{text}\n" * 40, f"one\n{text}\ntwo"):
        assert decode(one.encode("cp1252", "replace"))[1] in ("cp1252", "utf-8")


@pytest.mark.parametrize(
    "lines",
    [
        ("┌" + 30 * "─" + "┐ ok", "║" + 30 * "░" + "║"),
        ("╠" + 22 * "▓" + "╣", "┌" + 16 * "░" + "┐─┐"),
    ],
)
def test_lines_that_are_drawn_are_no_chinese(lines: tuple[str, ...]) -> None:
    assert decode("\n".join(lines).encode("cp437"))[1] == "cp1252"


def test_what_encodes_to_other_bytes_is_not_that_encoding() -> None:
    text = FOREIGN["cp932"].encode("cp932")
    raw = text + b"\x87\x90"  # the second code of a sign
    assert raw.decode("cp932").encode("cp932") != raw
    said, encoding = decode(raw)
    assert said.encode(encoding) == raw


@pytest.mark.parametrize("raw", [b"\xc4" * 400_000, b"\x82\xa0 " * 200_000, b"\xe0\xe5" * 300_000])
def test_long_rows_of_bytes_are_decoded_at_once(raw: bytes) -> None:
    said, encoding = decode(raw)
    assert said.encode(encoding) == raw


@given(st.binary(max_size=60))
def test_no_byte_is_ever_lost(raw: bytes) -> None:
    text, encoding = decode(raw)
    assert raw.decode(encoding) == text
    assert text.encode(encoding) == raw


@pytest.mark.parametrize(
    "text",
    [
        "".join(
            f"s = s.replace(/[{some}]/g, '?')\n" for some in ("àâä", "éèêë", "îï", "ôö", "ùûü")
        ),
        "re.compile('[a-zA-Zàèéìòù]+')\n# la città\n",
        "/[àâéèêëîïôûç]/",
        'strtr($s, "àáâãäåæçèéêëìíîïñòóôõö", "aaaaaaaceeeeiiiinooooo");',
        "$t = 'ÀÁÂÃÄÅàáâãäåÒÓÔÕÖØòóôõöø';",
    ],
)
def test_western_programs_that_list_accented_letters_stay_western(text: str) -> None:
    assert decode(text.encode("cp1252")) == (text, "cp1252")


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r"])
def test_a_program_with_a_cyrillic_sentence_is_recognised(encoding: str) -> None:
    text = "print('Привет, дорогой мир, как твои дела?')  # [а-я]\n"
    assert decode(text.encode(encoding)) == (text, encoding)
