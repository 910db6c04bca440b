"""Facts about users, stored by mem0 in its embedded Qdrant, a folder that one process opens at a
time.

Vectors come from Pincite's encoder, and mem0's requests to a language model go to Pincite's model,
so that keys, limits and addresses are those of the settings. Nothing else leaves the machine:
mem0's telemetry, its notices (fetched from GitHub) and the models that it would download
(`Qdrant/bm25` of fastembed, `en_core_web_sm` of spaCy) are off. Its history is not kept, because it
contains the words of deleted facts.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from pincite.errors import ConfigError, MemoryUnavailable, PinciteError, UsageError
from pincite.model import Fact
from pincite.ports import LLM, DenseEncoder, Message
from pincite.providers.memory.rows import no_fact
from pincite.support.arguments import require_count, require_kind
from pincite.support.kept_text import FACT_CHARS, FACTS, QUERY_CHARS, USER_CHARS, raw, require_text
from pincite.support.valid_text import valid_text

T = TypeVar("T")
_COLLECTION: Final = "facts"
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]*")
_ANSWER_TOKENS: Final = 4_000  # of extracted facts; guess, unmeasured


class Mem0Memory:
    """Implements `Memory`. With `infer` the language model extracts facts from a text, which may
    give none or several; without it the text is the fact. Use it in one event loop."""

    def __init__(
        self,
        folder: Path,
        encoder: DenseEncoder,
        llm: LLM | None = None,
        *,
        infer: bool = False,
        place: Callable[[], None] | None = None,
    ) -> None:
        """Prepare the memory. `place` creates the parent folder if it is missing."""
        self._folder = folder
        self._encoder = encoder
        self._llm = llm
        self._infer = infer
        self._place = place
        self._memory: Any = None
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Return a line that names the adapter, its encoder, and the inferring model."""
        by = f"/{self._llm.fingerprint}" if self._infer and self._llm is not None else ""
        return f"mem0/{self._encoder.fingerprint}{by}"

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """See `Memory.remember`. A text that differs only in white space is already known."""
        _require_user(user)
        require_text("text", text, FACT_CHARS)
        _require_utf8("text", text)
        return await self._run("remember", lambda memory: self._remember(memory, user, text))

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        """See `Memory.recall`. Scores are those of mem0, 0 to 1."""
        _require_user(user)
        require_text("query", query, QUERY_CHARS)
        require_count("limit", limit, least=0, most=FACTS)
        if limit == 0 or not self._there():
            return ()
        asked = valid_text(query)

        def search(memory: Any) -> tuple[Fact, ...]:
            # mem0 2 ignores `limit=` and would return 20.
            found = memory.search(asked, filters={"user_id": user_id(user)}, top_k=limit)
            facts = sorted(_facts(user, found), key=lambda one: (-one.score, one.id))
            return tuple(facts[:limit])

        return await self._run("recall", search)

    async def facts(self, user: str, after: str = "", limit: int | None = None) -> tuple[Fact, ...]:
        """See `Memory.facts`. mem0 has no pages, so all facts are read for each."""
        _require_user(user)
        require_kind("after", after, str, "the id of a fact")
        if limit is not None:
            require_count("limit", limit, most=FACTS)
        found: tuple[Fact, ...] = ()
        if self._there():
            found = await self._run("list", lambda memory: _all(memory, user))
        ids = [one.id for one in found]
        if after and after not in ids:
            raise no_fact(after)
        return found[ids.index(after) + 1 if after else 0 :][:limit]

    async def forget(self, user: str, fact: str = "") -> int:
        """See `Memory.forget`. mem0 deletes any id, so the owner is checked first."""
        _require_user(user)
        if fact != "":
            require_text("fact", fact, USER_CHARS)
        if not self._there():
            return 0

        def delete(memory: Any) -> int:
            mine = [one.id for one in _all(memory, user) if fact in ("", one.id)]
            for id_ in mine:
                memory.delete(id_)
            return len(mine)

        return await self._run("forget", delete)

    async def close(self) -> None:
        """See `Memory.close`."""
        await asyncio.to_thread(self._close)

    def _there(self) -> bool:
        return self._memory is not None or self._folder.exists()

    def _remember(self, memory: Any, user: str, text: str) -> tuple[Fact, ...]:
        known = _all(memory, user)
        same = [one for one in known if one.text.split() == text.split()]
        if same:
            return (same[0],)
        if len(known) >= FACTS:
            raise UsageError(
                f"this user has {len(known):,} facts, which is the maximum",
                hint="delete some of them: pincite memory forget",
            )
        made = memory.add(text.strip(), user_id=user_id(user), infer=self._infer)
        ids = {one["id"] for one in _results(made)}
        return tuple(one for one in _all(memory, user) if one.id in ids)

    async def _run(self, verb: str, work: Callable[[Any], T]) -> T:
        loop = asyncio.get_running_loop()
        return await asyncio.to_thread(self._locked, verb, work, loop)

    def _locked(self, verb: str, work: Callable[[Any], T], loop: asyncio.AbstractEventLoop) -> T:
        with self._lock:
            try:
                if self._memory is None:
                    self._memory = self._opened()
                self._memory.embedding_model.loop = loop
                self._memory.llm.loop = loop
                return work(self._memory)
            except PinciteError:
                raise
            except Exception as error:
                if isinstance(error.__cause__, PinciteError):
                    raise error.__cause__ from error
                raise MemoryUnavailable(
                    f"mem0 could not {verb}: {type(error).__name__}: {error} ({self._folder})",
                    hint=(
                        "make sure that no other process has the folder open, or set"
                        ' memory.kind = "sqlite", which processes can share'
                    ),
                ) from error

    def _opened(self) -> Any:
        if self._place is not None:
            self._place()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        memory = import_quietly(self._folder)
        config = {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "collection_name": _COLLECTION,
                    "embedding_model_dims": self._encoder.dimensions,
                    "path": str(self._folder / "qdrant"),
                    "on_disk": True,
                },
            },
            # Both are replaced below; mem0 accepts only the providers that it knows.
            "embedder": {"provider": "openai", "config": _NOBODY | {"openai_base_url": _NOWHERE}},
            "llm": {"provider": "openai", "config": _NOBODY | {"openai_base_url": _NOWHERE}},
            "history_db_path": ":memory:",
        }
        opened = memory.from_config(config)
        opened.embedding_model = _Embedding(self._encoder)
        opened.llm = _Asked(self._llm)
        opened.vector_store._bm25_encoder = False  # its value without fastembed
        return opened

    def _close(self) -> None:
        with self._lock:
            memory, self._memory = self._memory, None
            if memory is not None:
                memory.vector_store.client.close()
                memory.close()


_NOWHERE: Final = "http://127.0.0.1:9"
_NOBODY: Final = {"api_key": "unused", "model": "unused"}


def import_quietly(folder: Path) -> Any:
    """Return mem0's class `Memory`, imported without telemetry. At its import mem0 reads whether
    telemetry is allowed, and where to keep its own file. Raises ConfigError if mem0 is not
    installed."""
    with _variables(MEM0_TELEMETRY="False", MEM0_DIR=str(folder)):
        try:
            import mem0.memory.main
            import mem0.memory.telemetry
            import mem0.utils.spacy_models
            from mem0 import Memory
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "mem0":
                raise
            raise ConfigError(
                'memory.kind is "mem0", but mem0 is not installed',
                hint="pip install 'pincite[mem0]', or set memory.kind = \"sqlite\"",
            ) from error
    # A program that imported mem0 before may have allowed it.
    for module in (mem0.memory.telemetry, mem0.memory.main):
        module.MEM0_TELEMETRY = False
    mem0.utils.spacy_models._load_failed_full = True
    mem0.utils.spacy_models._load_failed_lemma = True
    logging.getLogger("mem0").setLevel(logging.WARNING)  # below that level it logs texts of users
    return Memory


@contextmanager
def _variables(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _OnLoop:
    """Functions that mem0 calls from its thread, run in the event loop of our models."""

    loop: asyncio.AbstractEventLoop

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()


class _Embedding(_OnLoop):
    def __init__(self, encoder: DenseEncoder) -> None:
        self._encoder = encoder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        if memory_action == "search":
            return [float(one) for one in self._wait(self._encoder.embed_query(text))]
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], _: str = "add") -> list[list[float]]:
        matrix = self._wait(self._encoder.embed_documents(list(texts)))
        return [[float(one) for one in row] for row in matrix]


class _Asked(_OnLoop):
    def __init__(self, llm: LLM | None) -> None:
        self._llm = llm

    def generate_response(self, messages: Sequence[dict[str, Any]], **_: object) -> str:
        if self._llm is None:
            raise ConfigError(
                "memory.infer is true, but no language model is configured",
                hint='set [models] llm = "PROVIDER:MODEL", or infer = false',
            )
        said = [Message(one["role"], str(one["content"])) for one in messages]
        return self._wait(self._llm.complete(said, max_tokens=_ANSWER_TOKENS)).text


def user_id(user: str) -> str:
    """Return mem0's name for a user: the name itself if it is plain, otherwise its bytes. mem0
    trims names, refuses others with white space, and reads `*` as everybody."""
    if _PLAIN.fullmatch(user):
        return user
    return f"~{raw(user).hex()}"


def _results(found: Any) -> list[dict[str, Any]]:
    return list(found["results"] if isinstance(found, dict) else found)


def _facts(user: str, found: Any) -> tuple[Fact, ...]:
    """Return the facts of this user among mem0's results."""
    return tuple(
        Fact(
            id=str(one["id"]),
            user=user,
            text=str(one["memory"]),
            at=str(one.get("created_at") or ""),
            score=float(one.get("score") or 0.0),
        )
        for one in _results(found)
        if one.get("user_id") == user_id(user)
    )


def _all(memory: Any, user: str) -> tuple[Fact, ...]:
    found = memory.get_all(filters={"user_id": user_id(user)}, top_k=FACTS)
    return tuple(sorted(_facts(user, found), key=lambda one: (one.at, one.id)))


def _require_user(user: str) -> None:
    require_text("user", user, USER_CHARS)


def _require_utf8(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{name} has an unpaired surrogate at character {error.start}, which mem0 cannot store"
        ) from error
