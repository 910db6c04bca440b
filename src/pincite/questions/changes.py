"""Questions that ask what changed in a project, or when. English only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

from pincite.support.late_patterns import late_pattern

Changes: TypeAlias = Literal["no", "maybe", "yes"]

#: `v2`, `2.0` or `version 2`, as a whole: its parts are no starts. "Version 2 of" is of anything,
#: and "0.5 seconds" is no version.
_NUMBER = (
    r"(?:(?<![\w.])(?>v\d+|\d+\.\d+)(?>(?:\.\d+)*)"
    r"(?! ?(?:%|x\b|(?:[mnu]?s|secs?|seconds?|mins?|minutes?|hours?|days?|[kmgt]i?b|bytes?|times"
    r"|percent|points?|px)\b))"
    r"|\b(?:version|release) (?>\d+)(?>(?:\.\d+)*)(?! of\b))"
)
_SOME = r"[^?\n]{0,150}"  # words between two parts of a question
#: Characters of a question for changes, or for tests; guess: longer ones are messages or code.
LONGEST_QUESTION = 500
#: Programs add and remove these while they run.
_RUNTIME = (
    r"(?:children|connections?|documents?|elements?|entries|entry|events?|examples?|files?|items?"
    r"|jobs?|keys?|lines?|locks?|loops?|members?|messages?|nodes?|objects?|packets?|pages?"
    r"|records?|replicas?|requests?|rows?|sessions?|sockets?|tasks?|users?|values?)"
)
_THE = r"(?:an?|each|every|the|this|that|its|my)"
_VERSION = (
    r"(?:which|what) (?:(?:minor|major|patch) )?(?:versions?|releases?)\b"
    rf"(?! of {_THE}\b)"  # "which version of the protocol" may be of anything
    # "Which version field" is one of a protocol or a file.
    r"(?! (?:check|field|header|lock|mode|negotiation|number|string)s?\b)"
)
#: "In which version does it run" may be of anything, "in which version is it supported" is not.
_RUNS = (
    r"(?: of \S+)? (?:do|does|is|are) "
    rf"(?!{_SOME}\b(?:accept|allow|availab|default|deprecat|exist|fix|new|optional|possible|present"
    r"|public|require|stable|support|usable|work))"
)
#: Verbs of changes: those that say little else of programs, and others.
_OF_RELEASES = (
    *("backport", "deprecate", "drop", "introduce", "promote", "rename", "revert"),
    *("stabili[sz]e", "upgrade"),
)
_OF_BOTH = ("add", "change", "fix", "move", "remove", "replace", "stop")


def _past(verbs: Iterable[str]) -> str:
    """Return the pattern of the past forms of these verbs."""
    ends = {"e": "d", "p": "ped"}
    return "|".join(one + ends.get(one[-1], "ed") for one in verbs)


_DO, _DONE = "|".join((*_OF_RELEASES, *_OF_BOTH)), _past((*_OF_RELEASES, *_OF_BOTH))
_HAPPENED = (
    rf"{_past(_OF_RELEASES)}|replaced? (?:by|with)|turned (?:on|off)"
    r"|(?:stop|start)(?:ped|ed)? (?:being|supporting)"
    r"|(?:become|became|made) (?:stable|required|optional|available|public|the default)"
    rf"|(?:add(?:ed)?|removed?)(?! (?:from|in|into|to) {_THE}\b)"
)
#: "When was the flag removed" asks for a change. "When is a flag removed", "when was a file
#: added", "when was the key removed from the map" and "when did the connection drop" are said of
#: what a program does.
_NOT_RUNTIME = (
    rf"(?! (?:{_THE} )?{_RUNTIME} (?:get )?(?:\w+ed\b"
    rf"|(?:{_DO})\b(?=\W*\Z| (?:after|because|before|during|from|until|when|while)\b)))"
)
_WANTS_CHANGES = late_pattern(
    rf"\b{_VERSION}(?:{_SOME}\b(?:{_DONE}|{_HAPPENED}|fixes|first \w+ed|started"
    rf"|(?:allow|support|reject|require|start|stop)s)| did {_SOME}\b(?:{_DO}))\b"
    r"|\Asince when (?:is|are|was|were|does|do|has|have|can)\b"
    rf"(?!{_SOME} {_THE} {_RUNTIME}(?: (?:held|kept|open|locked|running|waiting))?\W*\Z)"
    rf"|\bsince {_VERSION}|\b(?:in|as of|until) {_VERSION}(?!{_RUNS})"
    rf"|\bwhen (?:was|were|did|has|have)\b{_NOT_RUNTIME}{_SOME}\b(?:{_HAPPENED})\b"
    rf"|\bwhen did\b{_NOT_RUNTIME}{_SOME}\b(?<!the )(?:{'|'.join(_OF_RELEASES)})\b"
    rf"|\bwhen (?:was|were|did|has) {_SOME}{_NUMBER}{_SOME}\breleased\b"
    r"|\bwhat(?:'s| is| was| are| were| has| will)?(?: been| be)?"
    rf" (?:new|different|{_DONE})\b{_SOME} (?:(?:in|from|between|since) {_NUMBER}"
    rf"|(?:with|for|after) {_NUMBER}(?! (?!release|version)[a-z]+\W*\Z))"  # "1.5 weight"
    rf"|\b(?:{_DONE})\b{_SOME} in {_NUMBER}|\bupgrad\w* (?:from \S+ )?to {_NUMBER}"
    r"|\A(?:what (?:are|were) )?(?:the |all )?(?:breaking changes (?:in|of|from|since|between|for)"
    r"|release notes (?:of|for)) ",
    re.I,
)
#: Such a question may ask for changes. "Was foo removed?" and "which functions are deprecated" do;
#: a removed file, a deprecated option and what no longer exists are also subjects of code.
_MAY_ASK = late_pattern(
    r"\b(?:what'?s new|what is new|news? in|release notes?|change ?logs?|version history|releases"
    r"|history of (?:the )?(?:changes|versions)|breaking|(?:last|latest|newest|recent) changes"
    r"|(?:latest|last|newest|next|previous) (?:release|version)|(?:migrat|upgrad)\w+ (?:from|to)"
    r"|(?:do (?:i|we|you)|how to) (?:migrate|upgrade)"
    r"|(?:changes?|deprecations?|differences?|fix(?:es|ed)|regressions?|removals?)"
    r" (?:in|since|between|from|with) (?:v?\d|the (?:last|latest|new|next))"
    rf"|(?:as of|in|since|until) {_NUMBER}|{_NUMBER} (?:changes|deprecations|news)"
    r"|(?:no longer|still) (?:accept|allow|available|compil|maintain|possible|support|work)\w*"
    r"|(?:drop(?:ped)?|end of) support|CVEs?|security (?:advisor(?:y|ies)|bugs?|fix(?:es)?))\b"
    rf"|\A(?:(?:how|when|where|why) )?(?:was|were|has|have|had|did)\b"
    rf"{_NOT_RUNTIME}{_SOME}\b(?:{_DONE}|{_DO}|break|broken?)\b"
    r"|\Awhat (?:has |have |is |was |were )?(?:been )?"
    r"(?:broken?|changed|removed|renamed|replace[ds])\b"
    rf"|\A(?:what|which)\b{_SOME} (?:(?:is|are) deprecated|(?:was|were|been) (?:{_DONE}|broken))\b"
    rf"|\A(?:is|are) {_SOME}\bdeprecated\b|\A(?:(?:all )?(?:the )?deprecat\w+|upgrade\b)",
    re.I,
)


def asked_changes(question: str) -> Changes:
    """Return whether a question asks what changed, or when: "yes" if it does (`which version
    removed the flag`), "maybe" if it may (`is Ruby 2.5 still supported`, `security fixes`). English
    only: "no" for questions in other languages."""
    if len(question) > LONGEST_QUESTION:
        return "no"
    if _WANTS_CHANGES.search(question):
        return "yes"
    return "maybe" if _MAY_ASK.search(question) else "no"
