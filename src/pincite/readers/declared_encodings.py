"""The encoding that an HTML or XML file declares, if it is an older one.

Names are those of the WHATWG's Encoding Standard, which also says how browsers read them: `gb2312`
is GB 18030, `tis-620` is Windows-874. No other codec of Python is used, because some take quadratic
time. ASCII, Latin-1 and Windows-1252 are left to the guess: many pages declare these wrongly, and
for the other pages the guess gives the same text.
"""

from __future__ import annotations

import re
from typing import Final

from pincite.readers.legacy_encodings import guessed_encoding

_HEAD_BYTES: Final = 1_024  # a browser looks no further
#: Parts without markup: comments, and scripts and styles up to their ends or the end of the head.
_HIDDEN: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|title|noscript)\b.*?(?:</\1|\Z)", re.DOTALL | re.IGNORECASE
)
_XML: Final = re.compile(rb"\s*<\?xml\s[^>]*?\sencoding\s*=\s*[\"']\s*([\w.:-]{1,40})")
#: The attribute `charset`, or that of the content type; `content` of other names is a text.
_META: Final = re.compile(
    rb"<meta\s+(?:charset\s*=\s*|(?=[^>]*?\bhttp-equiv\s*=\s*[\"']?content-type)[^>]*?\bcharset\s*=\s*)"
    rb"[\"']?\s*([\w.:-]{1,40})",
    re.IGNORECASE,
)
_SIGNS: Final = re.compile(r"[-_.:]")
#: Controls and private characters. Texts have none; a wrong encoding may show letters as these.
_ODD: Final = re.compile("[\x80-\x9f\ue000-\uf8ff]")
#: A guess of one of these is certain enough to refute a declared encoding of single bytes, in which
#: any bytes are a text.
_OF_SEVERAL_BYTES: Final = frozenset({"gb18030", "cp950", "big5hkscs", "cp932", "euc_jp", "cp949"})

_OTHER_NAMES: Final = {
    "gb18030": "gb2312 gbk xgbk gb18030 chinese gb231280 csgb2312 cp936 windows936",
    "cp950": "big5 cnbig5 xxbig5 xbig5 csbig5 cp950 windows950",
    "big5hkscs": "big5hkscs",
    "cp932": "shiftjis sjis xsjis mskanji windows31j windows932 cp932 csshiftjis",
    "euc_jp": "eucjp xeucjp",
    "cp949": "euckr korean ksc5601 ksc56011987 ksc56011989 windows949 cp949 uhc",
    "koi8_r": "koi8r koi8 koi cskoi8r",
    "koi8_u": "koi8u koi8ru",
    "cp866": "cp866 ibm866 866",
    "cp874": "tis620 iso885911 windows874 cp874 dos874",
    "cp1254": "iso88599 latin5 l5",
    "iso8859_8": "iso88598i iso88598e visual hebrew logical",
    "iso8859_2": "latin2 l2",
    "iso8859_3": "latin3 l3",
    "iso8859_4": "latin4 l4",
    "iso8859_5": "cyrillic",
    "iso8859_6": "arabic iso88596i iso88596e asmo708",
    "iso8859_7": "greek greek8 elot928",
    "iso8859_10": "latin6 l6",
    "iso8859_15": "latin9 l9",
    "mac_cyrillic": "xmaccyrillic xmacukrainian",
    "mac_roman": "macintosh mac xmacroman",
}
_CODECS: Final = {
    **{f"iso8859{part}": f"iso8859_{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"{of}{page}": f"cp{page}" for of in ("windows", "cp", "xcp") for page in range(1250, 1259)},
    **{name: codec for codec, names in _OTHER_NAMES.items() for name in names.split()},
}
del _CODECS["windows1252"], _CODECS["cp1252"], _CODECS["xcp1252"]


def declared_encoding(raw: bytes) -> str:
    """Return the encoding that HTML or XML declares, "" if it is not a known one, or if the bytes
    are invalid in it. The text encodes to the same bytes again."""
    head = raw[:_HEAD_BYTES]
    found = _XML.match(head) or _META.search(_HIDDEN.sub(b"", head))
    name = _SIGNS.sub("", found[1].decode("ascii", "replace").lower()) if found else ""
    if not (codec := _CODECS.get(name, "")):
        return ""
    try:
        text = raw.decode(codec)
        is_exact = text.encode(codec) == raw
    except UnicodeError:
        return ""
    if not is_exact or _ODD.search(text):
        return ""
    is_single = codec not in _OF_SEVERAL_BYTES
    return "" if is_single and guessed_encoding(raw) in _OF_SEVERAL_BYTES else codec
