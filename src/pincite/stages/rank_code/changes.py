"""Questions that ask what changed in a project, or when. English only."""

from __future__ import annotations

import re

from pincite.support.late_patterns import late_pattern

#: `v2`, `2.0` or `version 2`, as a whole: its parts are no starts. "Version 2 of" is of anything.
_NUMBER = (
    r"(?:(?<![\w.])(?>v\d+|\d+\.\d+)(?>(?:\.\d+)*)"
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
    r"(?! (?:check|field|header|lock|negotiation|number|string)s?\b)"  # of a protocol or a file
)
_HAPPENED = (
    r"introduc(?:ed?|ing)|drop(?:ped)?|deprecated?|renamed?|replaced? (?:by|with)|stabili[sz]ed"
    r"|reverted|backported|upgraded|turned (?:on|off)"
    r"|(?:stop|start)(?:ped|ed)? (?:being|supporting)"
    r"|(?:become|became|made) (?:stable|required|optional|available|public|the default)"
)
#: "When was the flag removed" asks for a change. "When is a flag removed", "when was a file
#: added" and "when was the key removed from the map" are said of what a program does.
_WANTS_CHANGES = late_pattern(
    rf"\b{_VERSION}{_SOME}\b(?:{_HAPPENED}|added|removed|changed|moved|fixed|fixes|first \w+ed"
    r"|(?:allow|support|reject|require|start|stop)s|started|stopped)\b"
    r"|\Asince when (?:is|are|was|were|does|do|has|have|can)\b"
    rf"|\bsince {_VERSION}|\b(?:in|as of|until) {_VERSION}"
    rf"|\bwhen (?:was|were|did|has|have)\b(?! (?:{_THE} )?{_RUNTIME} (?:get )?\w+ed\b){_SOME}"
    rf"\b(?:{_HAPPENED}|(?:add(?:ed)?|removed?)(?! (?:from|in|into|to) {_THE}\b))\b"
    rf"|\bwhen (?:was|were|did|has) {_SOME}{_NUMBER}{_SOME}\breleased\b"
    r"|\bwhat(?:'s| is| was| are| were| has| will)?(?: been| be)? (?:new|changed|different|fixed"
    rf"|added|removed|deprecated|renamed)\b{_SOME} (?:in|from|between|since|with|for|after)"
    rf" {_NUMBER}|\b(?:fixed|added|removed|deprecated|renamed|promoted|changed)\b{_SOME} in"
    rf" {_NUMBER}|\bupgrad\w* (?:from \S+ )?to {_NUMBER}"
    r"|\A(?:what (?:are|were) )?(?:the |all )?(?:breaking changes (?:in|of|from|since|between|for)"
    r"|release notes (?:of|for)) ",
    re.I,
)
_DONE = (
    r"(?:added|broken?|changed|deprecated|dropped|fixed|introduced|moved|removed|renamed|replaced)"
)
_DO = r"(?:add|break|change|deprecate|drop|fix|introduce|move|remove|rename|replace|stop)"
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
    rf"(?! (?:{_THE} )?{_RUNTIME} (?:get )?\w+ed\b){_SOME}\b(?:{_DONE}|{_DO})\b"
    r"|\Awhat (?:has |have |is |was |were )?(?:been )?"
    r"(?:broken?|changed|removed|renamed|replace[ds])\b"
    rf"|\A(?:what|which)\b{_SOME} (?:(?:is|are) deprecated|(?:was|were|been) {_DONE})\b"
    rf"|\A(?:is|are) {_SOME}\bdeprecated\b|\A(?:(?:all )?(?:the )?deprecat\w+|upgrade\b)",
    re.I,
)


def wants_changes(question: str) -> bool:
    """Return whether a question asks what changed, or when (`which version removed the flag`).
    English only: False for questions in other languages."""
    return len(question) <= LONGEST_QUESTION and _WANTS_CHANGES.search(question) is not None


def keeps_changelogs(question: str) -> bool:
    """Return whether changelogs keep their scores, because the question asks for changes, or may
    do so (`is Ruby 2.5 still supported`, `security fixes`). Only `wants_changes` puts them first.
    English only."""
    if len(question) > LONGEST_QUESTION:
        return False
    return wants_changes(question) or _MAY_ASK.search(question) is not None
