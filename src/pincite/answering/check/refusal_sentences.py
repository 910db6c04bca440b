"""English sentences which say that the passages do not answer the question.

They say that the passages do not state something, or that it is not found in them. "The
documentation says that Python 2 is not supported" is an answer, and so is "The context does not
provide a timeout". Cases of both kinds are in `tests/answering/check/refusals.py`; an uncertain
case is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final


def _any(*ways: str) -> str:
    return f"(?:{'|'.join(ways)})"


# The passages.
_GIVEN: Final = "(?:provided|given|numbered|retrieved|available|supplied|above|following|quoted)"
_THE: Final = r"(?:(?:the|these|those|this|your|both|all)\s(?:of\sthe\s)?)"
#: Words for the prompt's passages, and words that passages may use for themselves.
_SURE: Final = r"(?:passages?|excerpts?|snippets?|documentation)"
_OPEN: Final = (
    r"(?:(?:source\s)?texts?|sources?|evidence|documents?|contexts?|information|material)"
)
_BEHIND: Final = r"\s(?:provided|given|supplied|above|here|at\shand|you\s(?:provided|gave))\b"
_PASSAGES: Final = _any(
    rf"{_THE}(?:{_GIVEN}\s)?(?:\w{{1,15}}\s)?{_SURE}(?:{_BEHIND}){{0,2}}",
    rf"{_THE}?{_GIVEN}\s{_any(_SURE, _OPEN)}(?:{_BEHIND}){{0,2}}",
    rf"{_THE}{_OPEN}(?:{_BEHIND}){{1,2}}",
)
_TEXTS: Final = rf"{_THE}{_OPEN}"
_BOTH: Final = _any(_PASSAGES, _TEXTS)
_IN: Final = (
    r"(?:in|from|within|among|by|with|using|given|according\sto|on\sthe\sbasis\sof"
    r"|(?:based|going|relying)\son)"
)
_ASKED: Final = r"(?:how|what|when|where|which|who|why|whether)\b"
#: After words for the passages, the sentence must end or continue in one of these ways, so that "in
#: the context manager" does not match.
_ENDS: Final = rf"(?=\W*\Z|[,;]|\s(?:{_ASKED}|(?:to|about|on|of|for|regarding|that|so)\b))"
_IN_PASSAGES: Final = rf"{_IN}\s{_PASSAGES}{_ENDS}"
_IN_BOTH: Final = rf"{_IN}\s{_BOTH}{_ENDS}"

# What they do not do.
_ADVERBS: Final = (
    r"(?:(?:actually|directly|explicitly|clearly|specifically|really|even|fully|appear\sto|seem\sto)"
    r"\s){0,2}"
)
_NOT: Final = r"\s?(?:not|n['’]t)"
_DO_NOT: Final = (
    rf"(?:(?:do(?:es)?|did|can|could){_NOT}|can['’]t|never|fails?\sto)\s{_ADVERBS}"  # and a verb
)
_ARE_NOT: Final = rf"(?:is|are|was|were){_NOT}\s{_ADVERBS}"  # and a participle
_SAY: Final = (
    r"(?:answer|say|state|mention|specify|specifies|describe|explain|discuss(?:es)?|indicate|tell"
    r"|address(?:es)?|cover|clarify|clarifies|reveal|refer\sto|talk\sabout|speak\sof)s?\b"
)
_HOLD: Final = (
    r"(?:contain|provide|include|give|offer|ha(?:ve|s)(?!\sto\b)|list|show|define|make|supply)s?\b"
)
_SAID: Final = (
    r"(?:answered|said|stated|mentioned|specified|described|explained|discussed|indicated|addressed"
    r"|covered|documented|clarified)\b"
)
_HELD: Final = r"(?:contained|provided|included|given|available|present|found|listed|shown)\b"
_SAY_OR_HOLD: Final = _any(_SAY, _HOLD)
_SAID_OR_HELD: Final = _any(_SAID, _HELD)
_FIND: Final = (
    r"(?:find|answer|determine|see|tell|say|locate|know|identify|confirm|provide|have|establish)\b"
)
_FOUND: Final = r"be\s(?:answered|determined|found|inferred|said|known)\b"

# What is not there.
_INFORMATION: Final = (
    r"(?:(?:any|enough|sufficient|the|an?|this|that|such|much|more|specific|relevant|explicit|direct"
    r"|detailed|necessary|required|requested|needed|further|clear)\s){0,4}"
    r"(?:information|details?|answers?|mention|references?|indication|data|description|explanation"
    r"|reasons?|guidance|instructions?|specifics|statement)\b"
)
_IT: Final = r"(?:it|this|that|anything)\b"
_QUESTION: Final = rf"(?:the\squestion\b|{_ASKED}|{_INFORMATION})"
_MATTER: Final = r"(?:(?!(?:says?|states?|that)\b)[^.,;:]){1,150}?"
_NO: Final = r"(?:no|nothing|not\s(?:any|enough)|insufficient|little)"
_NOTHING: Final = rf"(?:nothing|{_NO}\s{_INFORMATION})"
_THERE_IS: Final = r"there(?:\s(?:is|are|was)|['’]s)"
_I_CANNOT: Final = rf"i(?:['’]m|\sam|\swas)?(?:\s{_DO_NOT}|(?:{_NOT}\sable|\sunable)\sto\s){_FIND}"
_UNKNOWN: Final = _any(
    rf"it\s(?:is|was)\s(?:not\spossible|impossible)\sto\s{_FIND}",
    rf"(?:it|{_INFORMATION})\scannot\s{_FOUND}",
)

_INTRODUCTION: Final = (
    r"\W*(?:(?:unfortunately|regrettably|sorry|apologies|i(?:['’]m|\sam)\s(?:sorry|afraid)"
    r"|i\sapologi[sz]e|i\sdo(?:\snot|n['’]t)\sknow)"
    r"(?:,?\s(?:but|as|because|since|that)|,)?\s)?"
)
_REFUSALS: Final = (
    # The passages do not say it.
    (_PASSAGES, _DO_NOT + _SAY_OR_HOLD),
    (_TEXTS, _DO_NOT + _any(_SAY, rf"{_HOLD}\s{_any(_INFORMATION, _IT)}")),
    # They contain no information, say nothing, are silent.
    (_BOTH, _HOLD, _NO, _INFORMATION),
    (_BOTH, _any(rf"{_SAY}\snothing", r"(?:is|are)\ssilent", rf"lacks?\s{_INFORMATION}")),
    # They say something else, but not this.
    (
        _PASSAGES,
        rf"(?:(?:only|just|mainly)\s)?{_any(_SAY_OR_HOLD, 'focus(?:es)?', 'are', 'is')}",
        r"(?:(?!\b(?:that|which)\b)[^.;:]){1,150}?\b(?:but|and|yet|though)(?:\s(?:they|it))?",
        _any(_DO_NOT + _SAY_OR_HOLD, rf"not\s{_ASKED}"),
    ),
    # None of them says it.
    (rf"(?:none\sof|neither\sof|not\sone\sof|nothing\sin)\s{_PASSAGES}", _SAY_OR_HOLD),
    (rf"(?:no|neither)\s(?:{_GIVEN}\s)?{_SURE}", _SAY_OR_HOLD),
    # There is no information about it in them.
    (_THERE_IS, rf"{_NOTHING}.*?", _IN_BOTH),
    (r"there\s(?:isn|aren)['’]t", rf"{_INFORMATION}.*?", _IN_BOTH),
    (rf"{_NOTHING}.*?\s(?:is|are)", _SAID_OR_HELD, _IN_BOTH),
    # I cannot find it in them.
    (rf"{_I_CANNOT}.*?", _IN_BOTH),
    # It is not in them.
    (rf"{_QUESTION}(?:\s{_MATTER})?", rf"{_ARE_NOT}(?:{_SAID_OR_HELD}\s)?{_IN_BOTH}"),
    (_IT, rf"{_ARE_NOT}(?:{_SAID_OR_HELD}\s)?{_IN_PASSAGES}"),
    (r"it(?:\sis|['’]s)\s(?:not\s(?:clear|known|evident)|unclear)", _IN_BOTH),
    (_MATTER, _ARE_NOT + _SAID, _IN_PASSAGES),
    (_MATTER, rf"can(?:not|['’]t)\s{_FOUND}", _IN_BOTH),
    # Judging by them, it cannot be known.
    (_IN, rf"{_BOTH},", _any(_I_CANNOT, _UNKNOWN)),
    (_IN, rf"{_BOTH},", _THERE_IS, _NO, _INFORMATION),
)
# The text after the refusal.
_JOINS: Final = (
    r"(?:(?:so|and|as|because|since|hence|therefore|thus|then|instead|just|please|simply)\s){0,2}"
)
#: Continuations that are part of the refusal.
_STILL: Final = _any(
    rf"(?:they|it)\s(?:only\s)?{_SAY_OR_HOLD}",
    r"they\s(?:only|just|mainly|focus|are\s(?:only\s)?about)\b",
    r"only\b",
    r"i\b",
    rf"we\s{_DO_NOT}{_FIND}",
    _PASSAGES,
    _UNKNOWN,
    rf"(?:it|this|that)\s(?:{_ARE_NOT}{_SAID}|can(?:not|['’]t)\s{_FOUND})",
    r"it\s(?:is|was|remains)\s(?:unclear|unknown|not\s(?:clear|known|certain))\b",
    rf"there\s(?:is|are)\s{_NO}\s(?:{_INFORMATION}|way\sto\s{_FIND})",
    rf"(?:additional\s)?{_INFORMATION}",
    r"(?:the|your|this|no)\s(?:question|answer)\b",
    r"you\s(?:\w+\s){0,3}(?:ask|check|consult|contact|look|provide|refer|see)\b",
)
_DOES: Final = (
    rf"{_JOINS}(?:add|call|choose|configure|create|disable|enable|export|install|pass|put|remove"
    r"|replace|run|set|specify|start|switch|try|use|write)\s(?!(?:and|cases?|in|of|or)\b)"
)
_IS: Final = (
    r"(?:(?:is|are|was|were|do|does|has|have)(?:n['’]t)?|can|cannot|may|must|should|will)\b"
)
_CLAUSE: Final = _any(
    rf"{_JOINS}(?:it|there|they|we|you)[\s'’]",
    # "the default is", but in a list neither "and how it is" nor "the plan that is"
    rf"{_JOINS}(?:(?!(?:{_ASKED}|(?:and|if|nor|or|that|to)\b))[^\s,.:;]+\s){{1,4}}?{_IS}",
)
#: A sentence that continues with a contrast answers a part of the question.
_GOES_ON: Final = _any(
    rf"(?:,?\s(?:but|however|although|though|whereas)|;|:(?=\s))\W+(?!{_STILL})",
    rf",\s(?!{_JOINS}{_STILL}){_any(_DOES, _CLAUSE)}",
    r"\sunless\b",
)


def refuses(sentence: str) -> bool:
    """Return whether the sentence says that the passages do not answer, and nothing else. It must
    have no citation and single spaces."""
    refusals, goes_on = _compiled()
    found = next(filter(None, (one.match(sentence) for one in refusals)), None)
    return found is not None and goes_on.search(sentence, found.end()) is None


@cache
def _compiled() -> tuple[Sequence[re.Pattern[str]], re.Pattern[str]]:
    """Return the compiled patterns. Compiling takes 80 ms, and most answers have citations."""
    refusals = [_INTRODUCTION + r"\s".join(parts) for parts in _REFUSALS]
    return [re.compile(one, re.IGNORECASE) for one in refusals], re.compile(_GOES_ON, re.IGNORECASE)
