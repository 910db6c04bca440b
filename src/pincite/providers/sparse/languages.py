"""The languages that a collection may have for keyword search, and their names."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from pincite.errors import UsageError
from pincite.support.arguments import shown

#: Languages that have a Snowball stemmer. Others are not stemmed.
STEMMED: Final = frozenset(
    {
        *("arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english"),
        *("esperanto", "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian"),
        *("indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "persian"),
        *("polish", "portuguese", "romanian", "russian", "serbian", "spanish", "swedish"),
        *("tamil", "turkish", "yiddish"),
    }
)
#: Languages whose terms are characters and pairs of them. Latin words inside are mostly English.
UNSPACED: Final = frozenset({"chinese", "japanese", "korean", "thai", "lao", "khmer", "burmese"})
#: Languages without a stemmer: whole words are compared. `none` stands for all others.
WHOLE_WORDS: Final = frozenset(
    {
        *("none", "bengali", "bulgarian", "croatian", "georgian", "hebrew", "icelandic"),
        *("latvian", "macedonian", "slovak", "slovenian", "ukrainian", "vietnamese"),
    }
)
KNOWN: Final = STEMMED | UNSPACED | WHOLE_WORDS

#: ISO 639-1 codes.
_CODES: Final = dict(
    pair.split("=")
    for pair in (
        "ar=arabic hy=armenian eu=basque bn=bengali my=burmese ca=catalan zh=chinese cs=czech"
        " da=danish nl=dutch en=english eo=esperanto et=estonian fi=finnish fr=french ka=georgian"
        " de=german el=greek he=hebrew hi=hindi hu=hungarian id=indonesian ga=irish it=italian"
        " ja=japanese km=khmer ko=korean lo=lao lt=lithuanian ne=nepali nb=norwegian nn=norwegian"
        " no=norwegian fa=persian pl=polish pt=portuguese ro=romanian ru=russian sr=serbian"
        " es=spanish sv=swedish ta=tamil th=thai tr=turkish uk=ukrainian yi=yiddish bg=bulgarian"
        " hr=croatian is=icelandic lv=latvian mk=macedonian sk=slovak sl=slovenian vi=vietnamese"
    ).split()
)


def named_language(given: str) -> str:
    """Return the name of a language, given by its name in any case or by its ISO 639-1 code, also
    with a region (`pt-BR`); `auto` stays. Raises UsageError with the known names."""
    lower = given.strip().lower()
    name = _CODES.get(lower) or _CODES.get(lower.replace("_", "-").partition("-")[0], lower)
    if name == "auto" or name in KNOWN:
        return name
    close = get_close_matches(name, KNOWN, n=1, cutoff=0.8)
    raise UsageError(
        f"language is {shown(given)}; it takes one of auto, {', '.join(sorted(KNOWN))}",
        hint=close[0] if close else "",
    )
