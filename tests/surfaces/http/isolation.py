"""Users who do random things over HTTP, and a model in memory of what each key may be shown.

Every document, space and feed has a word of its own, in its name and in its text. No answer, header
or line of the log has a word that the asking key may not see. The server is one for all examples:
each works among what all before it left behind.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from dataclasses import dataclass, field
from typing import Any

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from pincite.workspace.worker.deps import WorkerConfig
from pincite.workspace.worker.loop import work_once
from tests.surfaces.http.workspace_server import Person, WorkspaceServer

NOBODY = "00000000-0000-4000-8000-000000000000"
WHO = st.integers(0, 5)
WHICH = st.integers(0, 5)
ROLES = st.sampled_from(["owner", "editor", "viewer"])
EDITORS = ("owner", "editor")
WORD = re.compile(r"zqx[0-9]{6}")
_NEXT = itertools.count(1)


def new_word() -> str:
    """A word that nothing else has."""
    return f"zqx{next(_NEXT):06}"


@dataclass
class Doc:
    """`words`: those of its texts that the index may still have. `known` is whether the index is
    at its last version. `name` is the word of its filename, which stays when it is replaced."""

    space: str
    word: str
    words: set[str]
    known: bool = False
    citation: str = ""
    name: str = ""


@dataclass
class Room:
    word: str
    roles: dict[str, str]
    personal: bool = False


@dataclass
class Feed:
    space: str
    word: str
    inside: set[str] = field(default_factory=set)


@dataclass
class Key:
    """A key of a user, of one space where `space` is given."""

    person: Person
    space: str | None = None
    revoked: bool = False


class Isolation(RuleBasedStateMachine):
    """Three users. `served` and `runner` are set by who runs it."""

    served: WorkspaceServer
    runner: asyncio.Runner

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[Key] = []
        self.spaces: dict[str, Room] = {}
        self.documents: dict[str, Doc] = {}
        self.feeds: dict[str, Feed] = {}

    @initialize()
    def begin(self) -> None:
        for _ in range(3):
            person = self.runner.run(self.served.person("user"))
            self.keys.append(Key(person))
            self.spaces[person.personal] = Room("", {person.id: "owner"}, personal=True)
        self.preamble()

    def preamble(self) -> None:
        """Two spaces of one user with a document each, one with a viewer, and a key of that one:
        random steps alone are long in coming to it."""
        self.adds_a_space(0)
        for space in (0, 3):
            self.uploads(0, space)
        self.sets_a_member(0, 1, 3, "viewer")
        self.gets_a_key_of_one_space(0, 3)
        self.workers_do_all()

    # What the model says.

    def role(self, key: Key, space: str) -> str | None:
        """None: for this key there is no such space."""
        if space not in self.spaces or key.space not in (None, space):
            return None
        return self.spaces[space].roles.get(key.person.id)

    def seen(self, key: Key) -> set[str]:
        return {one for one in self.spaces if self.role(key, one)}

    def documents_of(self, key: Key) -> set[str]:
        mine = self.seen(key)
        return {one for one, doc in self.documents.items() if doc.space in mine}

    def feeds_of(self, key: Key) -> dict[str, int]:
        mine = self.seen(key)
        return {one: len(feed.inside) for one, feed in self.feeds.items() if feed.space in mine}

    def words_of(self, key: Key) -> set[str]:
        mine = self.seen(key)
        found = {self.spaces[one].word for one in mine}
        found |= {feed.word for feed in self.feeds.values() if feed.space in mine}
        for one in self.documents_of(key):
            found |= self.documents[one].words
        return found

    def expected(self, key: Key, space: str, *allowed: str) -> int:
        """The status of a change in a space; 200 stands for success."""
        role = self.role(key, space)
        return 404 if role is None else 200 if role in allowed else 403

    # How it is asked.

    def key(self, who: int) -> Key:
        return self.keys[who % len(self.keys)]

    def named(self, among: dict[str, Any], which: int) -> str:
        """One of those, or one that there is not."""
        known = list(among)
        return [*known, NOBODY][which % (len(known) + 1)]

    def ask(self, key: Key, method: str, path: str, **sent: Any) -> httpx.Response:
        """Ask; nothing of what comes back is of others."""
        may = self.may_be_told(key, path, sent) | set(WORD.findall(f"{path} {sent}"))
        said = self.runner.run(key.person.client.request(method, path, **sent))
        told = set(WORD.findall(f"{said.headers} {said.text}"))
        assert told <= may, (method, path, told - may)
        if key.revoked:
            assert said.status_code == 401
        return said

    def may_be_told(self, key: Key, path: str, sent: dict[str, Any]) -> set[str]:
        """The words that an answer may have besides those of the request."""
        return self.words_of(key)

    def change(self, status: int, key: Key, method: str, path: str, **sent: Any) -> Any:
        """Ask for a change; it ends as the model says. Returns None where it is refused."""
        said = self.ask(key, method, path, **sent)
        if key.revoked:
            return None
        assert said.status_code in ((200, 201, 202, 204) if status == 200 else (status,)), (
            f"{method} {path} {sent}: {said.status_code} instead of {status}: {said.text}"
        )
        return ((said.content and said.json()) or {}) if status == 200 else None

    # What users do.

    @rule(who=WHO)
    def adds_a_space(self, who: int) -> None:
        key, word = self.key(who), new_word()
        status = 200 if key.space is None else 404
        made = self.change(status, key, "POST", "/v1/spaces", json={"name": word})
        if made:
            self.spaces[made["id"]] = Room(word, {key.person.id: "owner"})

    @rule(who=WHO, which=WHICH)
    def deletes_a_space(self, who: int, which: int) -> None:
        key, space = self.key(who), self.named(self.spaces, which)
        status = self.expected(key, space, "owner")
        if status == 200 and self.spaces[space].personal:
            status = 403
        if self.change(status, key, "DELETE", f"/v1/spaces/{space}") is None:
            return
        del self.spaces[space]
        for one in self.keys:  # its keys go with it
            one.revoked = one.revoked or one.space == space
        self.documents = {k: v for k, v in self.documents.items() if v.space != space}
        self.feeds = {k: v for k, v in self.feeds.items() if v.space != space}

    @rule(who=WHO, whom=WHO, which=WHICH, role=ROLES)
    def sets_a_member(self, who: int, whom: int, which: int, role: str) -> None:
        key, other = self.key(who), self.key(whom).person.id
        space = self.named(self.spaces, which)
        status = self.expected(key, space, "owner")
        if status == 200 and (
            self.spaces[space].personal or (role != "owner" and self.is_last(space, other))
        ):
            status = 403
        path = f"/v1/spaces/{space}/members/{other}"
        if self.change(status, key, "PUT", path, json={"role": role}) is not None:
            self.spaces[space].roles[other] = role

    @rule(who=WHO, whom=WHO, which=WHICH)
    def removes_a_member(self, who: int, whom: int, which: int) -> None:
        key, other = self.key(who), self.key(whom).person.id
        space = self.named(self.spaces, which)
        leaving = key.person.id == other
        status = self.expected(key, space, "owner", *(("editor", "viewer") if leaving else ()))
        if status == 200 and self.spaces[space].personal:
            status = 403
        if status == 200 and other not in self.spaces[space].roles:
            status = 404
        if status == 200 and self.is_last(space, other):
            status = 403
        path = f"/v1/spaces/{space}/members/{other}"
        if self.change(status, key, "DELETE", path) is not None:
            del self.spaces[space].roles[other]

    def is_last(self, space: str, user: str) -> bool:
        return [u for u, role in self.spaces[space].roles.items() if role == "owner"] == [user]

    @rule(who=WHO, which=WHICH)
    def uploads(self, who: int, which: int) -> None:
        key, space = self.key(who), self.named(self.spaces, which)
        word, name = new_word(), new_word()
        made = self.change(
            *(self.expected(key, space, *EDITORS), key, "POST", "/v1/documents"),
            params={"filename": f"{name}.md", "space_id": space, "source_ids": [name]},
            content=text_of(word),
        )
        if made:
            self.documents[made["id"]] = Doc(space, word, {word, name}, name=name)

    @rule(who=WHO, which=WHICH)
    def replaces(self, who: int, which: int) -> None:
        key, id_, word = self.key(who), self.named(self.documents, which), new_word()
        doc = self.documents.get(id_, Doc(NOBODY, "", set()))
        status = self.expected(key, doc.space, *EDITORS)
        path = f"/v1/documents/{id_}/content"
        if self.change(status, key, "PUT", path, content=text_of(word)) is not None:
            doc.word, doc.known = word, False
            doc.words.add(word)

    @rule(who=WHO, which=WHICH, where=WHICH)
    def moves(self, who: int, which: int, where: int) -> None:
        key, id_, to = (
            self.key(who),
            self.named(self.documents, which),
            self.named(self.spaces, where),
        )
        doc = self.documents.get(id_, Doc(NOBODY, "", set()))
        here, there = (self.expected(key, one, *EDITORS) for one in (doc.space, to))
        status = 404 if 404 in (here, there) else max(here, there)
        if {here, there} == {403, 404} and here == 403:
            status = 404
        if self.change(status, key, "PATCH", f"/v1/documents/{id_}", json={"space_id": to}) is None:
            return
        doc.known = False
        if doc.space != to:
            doc.space = to
            for feed in self.feeds.values():
                feed.inside.discard(id_)

    @rule(who=WHO, which=WHICH)
    def deletes(self, who: int, which: int) -> None:
        key, id_ = self.key(who), self.named(self.documents, which)
        space = self.documents[id_].space if id_ in self.documents else NOBODY
        status = self.expected(key, space, *EDITORS)
        if self.change(status, key, "DELETE", f"/v1/documents/{id_}") is None:
            return
        del self.documents[id_]
        for feed in self.feeds.values():
            feed.inside.discard(id_)

    @rule(who=WHO, which=WHICH)
    def adds_a_feed(self, who: int, which: int) -> None:
        key, space, word = self.key(who), self.named(self.spaces, which), new_word()
        body = {"name": word, "space_id": space}
        made = self.change(self.expected(key, space, *EDITORS), key, "POST", "/v1/feeds", json=body)
        if made:
            self.feeds[made["id"]] = Feed(space, word)

    @rule(who=WHO, which=WHICH, document=WHICH)
    def adds_to_a_feed(self, who: int, which: int, document: int) -> None:
        key, id_ = self.key(who), self.named(self.feeds, which)
        one = self.named(self.documents, document)
        feed = self.feeds.get(id_, Feed(NOBODY, ""))
        status = self.expected(key, feed.space, *EDITORS)
        if status == 200 and (one == NOBODY or self.documents[one].space != feed.space):
            status = 404
        path = f"/v1/feeds/{id_}/documents"
        if self.change(status, key, "PATCH", path, json={"add": [one]}) is not None:
            feed.inside.add(one)

    @rule(who=WHO, which=WHICH)
    def gets_a_key_of_one_space(self, who: int, which: int) -> None:
        key, space = self.key(who), self.named(self.spaces, which)
        if len(self.keys) < 6 and self.role(key, space):
            made = self.served.person("user", user_id=key.person.id, space_id=space)
            self.keys.append(Key(self.runner.run(made), space))

    @rule(which=st.integers(3, 5))
    def loses_a_key(self, which: int) -> None:
        if which < len(self.keys) and not self.keys[which].revoked:
            key = self.keys[which]
            wide = next(k for k in self.keys if k.person.id == key.person.id)
            prefix = key.person.key.split("_")[1]
            listed = self.ask(wide, "GET", "/v1/keys").json()
            (id_,) = (one["id"] for one in listed if one["prefix"] == prefix)
            self.change(200, wide, "DELETE", f"/v1/keys/{id_}")
            key.revoked = True

    @rule()
    def a_worker_does_one_job(self) -> None:
        self.runner.run(work_once(self.served.deps, WorkerConfig()))

    @rule()
    def workers_do_all(self) -> None:
        self.runner.run(self.served.work())
        for doc in self.documents.values():
            doc.known, doc.words = True, {doc.word, doc.name}

    @rule(who=WHO, which=WHICH, feed=WHICH)
    def asks_within(self, who: int, which: int, feed: int) -> None:
        """A search in one space and one feed finds what is in both."""
        key, space = self.key(who), self.named(self.spaces, which)
        id_ = self.named(self.feeds, feed)
        inside = self.feeds[id_].inside if id_ in self.feeds_of(key) else set[str]()
        body = {"question": "common words", "space_id": space, "feed_ids": [id_], "limit": 100}
        said = self.ask(key, "POST", "/v1/search", json=body)
        if not key.revoked:
            assert said.status_code == (200 if self.role(key, space) else 404)
            if said.status_code == 200:
                allowed = {one for one in inside if self.documents[one].space == space}
                assert set(found_in(said)) <= allowed

    @rule(who=WHO, which=WHICH)
    def looks_at_the_page(self, who: int, which: int) -> None:
        """The page shows no more than the routes of programs do."""
        key, id_ = self.key(who), self.named(self.documents, which)
        for name in ("about", "ask", "why"):
            body = {} if name == "about" else {"text": "common words"}
            self.ask(key, "POST", f"/ui/api/{name}", json=body)
        citation = self.documents[id_].citation if id_ in self.documents else ""
        for name in ("source", "picture") if citation else ():
            read = self.ask(key, "POST", f"/ui/api/{name}", json={"citation": citation})
            if not key.revoked and id_ not in self.documents_of(key):
                assert read.status_code == 404

    # What everybody is shown after each step.

    @invariant()
    def everybody_sees_what_is_theirs(self) -> None:
        for key in self.keys:
            if key.revoked:
                self.ask(key, "GET", "/v1/spaces")
                continue
            self.looks_at_lists(key)
            self.looks_at_documents(key)

    def looks_at_lists(self, key: Key) -> None:
        listed = self.ask(key, "GET", "/v1/spaces")
        assert listed.status_code == 200, (listed.text, key)
        spaces = {one["id"]: one["role"] for one in listed.json()}
        assert spaces == {one: self.role(key, one) for one in self.seen(key)}
        for one, room in self.spaces.items():
            said = self.ask(key, "GET", f"/v1/spaces/{one}/members")
            assert said.status_code == (200 if one in spaces else 404)
            if one in spaces:
                assert {each["user_id"]: each["role"] for each in said.json()} == room.roles
        said = self.ask(key, "GET", "/v1/documents", params={"limit": 1000})
        listed = self.ask(key, "GET", "/v1/feeds")
        if key.space is not None and not spaces:  # the only space of the key is gone
            assert (said.status_code, listed.status_code) == (404, 404)
            return
        assert {one["id"] for one in said.json()["items"]} == self.documents_of(key)
        assert {one["id"]: one["documents"] for one in listed.json()} == self.feeds_of(key)

    def looks_at_documents(self, key: Key) -> None:
        mine = self.documents_of(key)
        missing = self.ask(key, "GET", f"/v1/documents/{NOBODY}")
        claims, cited = [], []
        for id_, doc in self.documents.items():
            said = self.ask(key, "GET", f"/v1/documents/{id_}")
            if id_ not in mine:  # nothing tells it from what there is not
                assert alike(said, id_) == alike(missing, NOBODY)
            else:
                assert (said.status_code, said.json()["space_id"]) == (200, doc.space)
                raw = self.ask(key, "GET", f"/v1/documents/{id_}/content")
                assert raw.content == text_of(doc.word)
            self.searches(key, id_, doc, mine)
            if doc.citation:
                body = {"citation": doc.citation}
                read = self.ask(key, "POST", "/v1/evidence/read", json=body)
                if id_ not in mine:
                    assert read.status_code == 404
                claims.append(body)
                cited.append(id_)
        if claims and not (key.space is not None and not self.seen(key)):
            checked = self.ask(key, "POST", "/v1/evidence/verify", json={"claims": claims}).json()
            for id_, one in zip(cited, checked, strict=True):
                assert id_ in mine or one["status"] == "unknown"

    def searches(self, key: Key, id_: str, doc: Doc, mine: set[str]) -> None:
        said = self.ask(key, "POST", "/v1/search", json={"question": f"common {doc.word}"})
        if key.space is not None and not self.seen(key):
            assert said.status_code == 404
            return
        found = found_in(said)
        assert set(found) <= mine
        told = said.json()["evidence"] + said.json()["closest"]
        assert doc.word not in str(told) or id_ in mine
        if doc.known and id_ in mine:
            assert id_ in found
            doc.citation = found[id_]


def text_of(word: str) -> bytes:
    return f"# About {word}\n\nThe common word {word} stands here.\n".encode()


def found_in(said: httpx.Response) -> dict[str, str]:
    """Citations by document, of what a search shows."""
    pack = said.json()
    return {
        one["attributes"]["document_id"]: one["citation"]
        for one in (*pack["evidence"], *pack["closest"])
    }


def alike(said: httpx.Response, id_: str) -> tuple[int, str, list[str]]:
    """What a client sees of an answer, but for the id that it asked for and that of the request."""
    request_id = said.headers["x-request-id"]
    body = said.text.replace(id_, "ID").replace(request_id, "REQUEST")
    return said.status_code, body, sorted(said.headers)
