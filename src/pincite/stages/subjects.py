"""Find the unknown words that may be the question's subject, without misspellings and question
words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Sequence
from string import ascii_lowercase
from typing import Any, Final

from pincite.ports import Searchable
from pincite.support.concurrency import gather, gather_outcomes, with_timeout
from pincite.support.late_patterns import late_pattern
from pincite.support.spellings import one_edit

HasAny = Callable[[Searchable, Collection[int]], Coroutine[Any, Any, bool]]

#: Words of chats and of asking. Only lower case matches: `EXPLAIN` is also a statement of SQL.
_ASKING: Final = frozenset(
    """afaik answer anyway ask asked asking asks asap basically brief briefly btw clarification
clarify colleague colleagues confused confusing coworker curious cuz describe description detailed
detail details difference differences different doesn dunno elaborate exactly explain explained
explaining explanation explanations figure figured folks friend gimme gonna gotta guys hello help
hey hi hows idea imo imho kinda kindly know learn lemme looking maybe meaning meant need needed ok
okay outline overview pls plz possible possibly precisely probably purpose question questions quick
quickly rough roughly shortly simply sir sorry sorta struggle struggled struggling stuck summaries
summarise summarised summarize summarized summary teammate tell telling thanks thank thru thx
tldr tried try trying understand understanding understood walk wanna want wanted wants wheres
whys wonder wondered wondering""".split()
)
#: A word that asks for a measure, as in "how long is it valid?". In "how hot reload works" and "how
#: long-lived keys work" the same words belong to a subject, so a function word has to follow.
_MEASURE: Final = late_pattern(
    r"\b[Hh]ow[ \t]+(big|broad|cheap|close|cold|costly|deep|distant|early|expensive|far|fast"
    r"|frequent|frequently|heavy|high|hot|large|late|light|long|loud|low|near|old|quick|quickly"
    r"|rapid|rapidly|recent|recently|short|slow|slowly|small|soon|strong|tall|thick|thin|tight"
    r"|tiny|warm|weak|wide|young)"
    r"(?=[ \t]*(?:$|[\n?!.,;:)]|[ \t](?:a|after|ago|along|an|and|apart|are|at|away|back|before|be"
    r"|been|can|could|did|do|does|for|from|had|has|have|he|i|in|into|is|it|its|may|might|must|my"
    r"|of|on|or|our|shall|she|should|so|that|the|their|they|this|till|to|until|was|we|were|will"
    r"|would|you|your)\b))"
)
#: Words that ask for a place, as in "where is rotate_key declared or defined?" and "which file
#: defines it?". In "where are the defined terms shown?" the same word belongs to a subject, so the
#: question or a part of it has to end there. The distances are limited, so that long texts take
#: linear time.
_GAP: Final = r"[ \t]{0,3}"
_OR: Final = rf"(?:{_GAP}[,/]{_GAP}|,?[ \t](?:and|or|and/or)[ \t])"
_VERB: Final = r"(?:defined|declared|implemented)\b"
_VERBS: Final = rf"{_VERB}(?:{_OR}{_VERB}){{0,2}}"
_DOES: Final = "(?:define|declare|implement)"
_AT: Final = r"(?:file|folder|line|module|package|path)s?\b"
_AT_END: Final = rf"({_AT}(?:{_OR}(?:(?:which|what)[ \t])?{_AT})?)(?=\)?{_GAP}(?:$|[\n?!.]))"
_KIND: Final = "class|crate|file|function|header|library|method|module|package|script"
_KINDS: Final = "classes|crates|files|functions|headers|libraries|methods|modules|packages|scripts"
_AND_BAR: Final = r"[ \t](?:and|or)[ \t](?!how\b)(?:[^\s?!,;]{1,80}[ \t]){1,2}"
_DEFINED: Final = (
    rf"({_VERBS})(?:{_AND_BAR}({_VERB}))?"
    rf"(?={_GAP}(?:$|[\n?!.,;:)–—]"
    rf"|[ \t](?:--?[ \t]|\([^()\n]{{1,80}}\){_GAP}(?:$|[\n?!.]))"
    r"|[ \t](?:after|and|as|at|because|before|but|by|currently|exactly|for|from|here|if|in"
    r"|initially|inside|now|of|on|or|originally|outside|please|precisely|right|since|then|there"
    r"|to|under|when|while|with|within|without)\b))"
    rf"(?:{_GAP}[,;:(–—-]{{1,2}}{_GAP}{_AT_END})?"
)
_PLACE: Final = (
    late_pattern(rf"\b[Ww]here\b[^\n?!]{{1,200}}?[ \t]{_DEFINED}"),
    late_pattern(
        rf"\b(?:[Ww](?:hich|hat)[ \t](files?|modules?)|[Ii]n[ \t](?:which|what)[ \t]({_KIND}))"
        rf"(?:{_OR}(?:on[ \t])?(?:(?:which|what)[ \t])?({_AT}))?[ \t](?:is|are|was|were)\b"
        rf"[^\n?!]{{1,200}}?[ \t]{_DEFINED}"
    ),
    late_pattern(rf"\b[Ww](?:hich|hat)[ \t](?:({_KIND})[ \t])?({_DOES}s(?:{_OR}{_DOES}s)?)\b"),
    late_pattern(rf"\b[Ww](?:hich|hat)[ \t]({_KINDS})[ \t]({_DOES}(?:{_OR}{_DOES})?)\b"),
    late_pattern(
        r"\b[Ww]here[ \t](?:do|did|does)[ \t](?:it|they|we|you|the[ \t](code|codebase|library"
        rf"|package|project|repo|repository))[ \t]({_DOES}(?:{_OR}{_DOES})?)\b"
    ),
    late_pattern(
        r"\b(?:[Ww]here(?:['’]s|[ \t](?:is|are|was)|[ \t](?:can|could|do)[ \t](?:I|one|we|you)"
        r"[ \t](find|see))|[Ww](?:hich|hat)[ \t](file|module)[ \t](contains|has))[ \t]the[ \t]"
        r"((?:definition|declaration|implementation)s?)(?=[ \t]of\b)"
    ),
    late_pattern(rf"\b[Ww](?:hich|hat)[ \t]{_AT_END}"),
)
#: Letters of a word that may be mistyped. Shorter ones resemble others ("lanes" and "lines"), and
#: each letter costs 54 spellings.
_LEAST: Final = 6
_MOST: Final = 16
_WORD: Final = late_pattern(r"\w+")
_MOST_WORDS: Final = 3  # to compare with the index


async def find_subjects(
    question: str,
    absent: Sequence[str],
    collections: Sequence[Searchable],
    timeout_s: float,
    has_any: HasAny,
) -> tuple[str, ...]:
    """Return the `absent` words that may be the subject of the question.

    Left out are words that only ask ("explain", "pls"), words that ask for a measure or a place
    ("how long is it valid?", "where is it defined?"), and misspellings in lower case: words that a
    wrong, missing, additional or misplaced letter, but not the first one, separates from a word of
    the index ("chunkker"). To find misspellings, `has_any` tells whether a chunk of a collection
    has one of the other spellings. A collection that fails or takes longer than `timeout_s` seconds
    has none.
    """
    asking = _only_asking(question)
    left = tuple(one for one in absent if one not in _ASKING and one not in asking)
    typed = [one for one in left if _may_be_mistyped(one)][:_MOST_WORDS]
    if not typed:
        return left
    asked = [
        with_timeout(one.spec.name, _mistyped(typed, one, has_any), timeout_s)
        for one in collections
    ]
    outcomes = await gather_outcomes(asked)
    found = {word for one in outcomes if not isinstance(one, BaseException) for word in one}
    return tuple(one for one in left if one not in found)


def _only_asking(question: str) -> frozenset[str]:
    """Return the words of the question that occur only where they ask for a measure or a place."""
    matches = [one for pattern in (_MEASURE, *_PLACE) for one in pattern.finditer(question)]
    spans = [match.span(n) for match in matches for n, word in enumerate(match.groups(), 1) if word]
    places = {word.start() for span in spans for word in _WORD.finditer(question, *span)}
    words = _WORD.finditer(question) if places else ()
    asking, others = set[str](), set[str]()
    for word in words:
        (asking if word.start() in places else others).add(word[0])
    return frozenset(asking - others)


def _may_be_mistyped(word: str) -> bool:
    return _LEAST <= len(word) <= _MOST and word.isascii() and word.isalpha() and word.islower()


async def _mistyped(typed: Sequence[str], collection: Searchable, has_any: HasAny) -> set[str]:
    """Return the words of which the collection has another spelling."""
    found = await gather([has_any(collection, _spellings(word, collection)) for word in typed])
    return {word for word, there in zip(typed, found, strict=True) if there}


def _spellings(word: str, collection: Searchable) -> frozenset[int]:
    """Return the ids of the terms of all spellings that are one edit away."""
    encoded = collection.sparse.encode_query(" ".join(one_edit(word, ascii_lowercase)))
    return frozenset(encoded.indices)
