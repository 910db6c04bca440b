"""Remove question words of Chinese, Japanese and Korean from queries.

The analyser drops function words of other languages. It splits these three into pairs of
characters, so it cannot recognise their words. An index keeps all pairs: only the query changes.

The interrogatives are those of stopwords-iso (https://github.com/stopwords-iso, lists `zh`, `ja`
and `ko`), and forms of the same words that the lists lack: Chinese ones with a verb (`是什么`), the
Japanese series in `do-` with their particles, Korean ones with their endings. Single characters
that occur within other words are left out, such as 几, 何 in 幾何, and どう in どうぐ. So are words
for "any", "some" and "every": 任何, 什么都, 不管怎样, 何か, いつでも and 언제나.
"""

from __future__ import annotations

from pincite.support.late_patterns import late_pattern

#: Before them, question words mean "any": 无论什么, 不管是谁.
_NOT_ANY = "".join(
    f"(?<!{one}{copula})"
    for one in ("无论", "無論", "不论", "不論", "不管")
    for copula in ("", "是")
)
_CHINESE = (
    f"(?=[为為是有什甚怎如何几幾哪多谁誰]){_NOT_ANY}"
    "(?:[为為](?:什么|什麼|甚么|何)|怎[么麼](?:办|辦)?(?![样樣])"
    "|(?:[是有]?(?<![没沒]有)(?:什么|什麼|甚么)(?>(?:时候|時候|地方|样|樣|是)?)"
    "|怎[么麼]?[样樣]|如何|(?<![任几幾如无無])何(?:时|時|处|處)|几时|幾時"
    "|哪(?:些|个|個|里|裡|儿|兒|种|種|天|年|边|邊|样|樣)|多少|是?[谁誰])(?![都也]))"
    "|[吗嗎呢](?![\u4e00-\u9fff])"
)
_JAPANESE = (
    "(?<![\u3040-\u309f])(?:ど(?:の(?:ように|ような)?|う(?:やって|すれば|して)|んな)"
    "|なぜ(?!か(?![らか]))"
    "|(?:ど(?:こ|れ|ちら)|いつ|なに|いくつ)(?!か(?![らか])|も(?!っと)|でも(?![らっ])))"
    "|(?<![\u4e00-\u9fff])何(?![もらか]|でも(?![らっ]))(?=[\u3040-\u309f])"
    "|(?:です|ます|でしょう)か(?![\u3040-\u309f])|の意味(?![\u3040-\u309f\u4e00-\u9fff])"
)
_KOREAN = (
    "(?<![\uac00-\ud7a3])(?:무엇|어떻게|어떤|어느|어디|언제|누구|누가|무슨|얼마나|얼마|왜|몇)"
    "(?:인가요|인가|입니까|인지|이|을|은|에서|에|가|를|까지|부터)?(?![\uac00-\ud7a3])"
)
_QUESTION_WORD = late_pattern(f"{_CHINESE}|{_JAPANESE}|{_KOREAN}")


def without_question_words(text: str) -> str:
    """Return the text with a blank for each question word of Chinese, Japanese or Korean; the text
    itself if it has no letter apart from them."""
    if text.isascii():
        return text
    rest = _QUESTION_WORD.sub(" ", text)
    return rest if any(map(str.isalnum, rest)) else text
