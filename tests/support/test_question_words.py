from __future__ import annotations

import pytest

from pincite.support.question_words import without_question_words
from tests.counting import grows_in_proportion


@pytest.mark.parametrize(
    ("asked", "rest"),
    [
        ("SIGPIPE 表示什么", "SIGPIPE 表示"),
        ("信号的值是多少？", "信号的值是 ？"),
        ("为什么要用 apt 吗", "要用 apt"),
        ("如何安装怎么样", "安装"),
        ("使用什么参数", "使用 参数"),
        ("tcp_keepalive_time の意味は何ですか", "tcp_keepalive_time の意味は"),
        ("どうやってパッケージを作りますか？", "パッケージを作り ？"),
        ("为什么都失败了", "都失败了"),
        ("怎么办都不清楚", "都不清楚"),
        ("いつから使えますか", "から使え"),
        ("どこでもらう鍵", "でもらう鍵"),
        ("どんなものですか", "もの"),
        ("패키지는 무엇인가요?", "패키지는 ?"),
        ("커널을 어떻게 컴파일합니까", "커널을 컴파일합니까"),
    ],
)
def test_question_words_are_left_out(asked: str, rest: str) -> None:
    assert " ".join(without_question_words(asked).split()) == rest


@pytest.mark.parametrize(
    "text",
    [
        "吗啡的剂量", "幾何の問題", "ぶどうの栽培", "3分ほどの時間", "などの値", "いつもの設定",
        "几何处理", "任何处理器", "任何时候都可以登录", "无论如何", "没有什么",
        "什么都没有", "什么也不做", "什么时候都可以", "谁都可以", "谁也不知道", "哪里都有",
        "怎么样都行", "无论什么", "无论是谁", "無論什麼", "不管怎样", "不管怎么", "不论多少",
        "何でも", "どこでも", "いつでも", "なにか", "どこか", "いつか", "なぜか", "いくつも",
        "どれも同じ",
        "どうぶつの森", "どうぐ箱", "何も起きない", "何かの値", "언제나 실행", "누구나",
        "몇몇 패키지", "왜냐하면 커널", "what is a socket", "Wie öffne ich das?",
    ],
)  # fmt: skip
def test_words_that_contain_them_are_kept(text: str) -> None:
    assert without_question_words(text) == text


@pytest.mark.parametrize("text", ["什么", "なぜ？", "무엇", "", "¿?"])
def test_a_text_of_question_words_alone_is_kept(text: str) -> None:
    assert without_question_words(text) == text


@pytest.mark.parametrize("piece", ["什", "什么", "ど", "何", "무엇", "무", "为", "です"])
def test_time_is_linear(piece: str) -> None:
    assert grows_in_proportion(lambda size: without_question_words(piece * size), 10_000)
