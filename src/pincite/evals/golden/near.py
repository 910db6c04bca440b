"""Near questions from the user's own chunks: on the subject of the corpus, and without an answer.

There are two kinds, made by rules, and each is checked against the words of the corpus:

- swapped name: a name of the corpus with a part of another one, which does not exist
  (`what does rotate_invoice do?`), or a subject of the corpus with a product that it never mentions
  (`How do I use key rotation with Cassandra?`);
- sibling feature: an action on a thing of the corpus, if no chunk about the thing has the verb
  (`How do I encrypt an invoice?`).

A chunk may still answer in other words, so the questions are marked as synthetic. Most are easier
to distinguish from on-topic questions than those of people.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from pincite.evals.golden.questions import GoldenQuery
from pincite.evals.golden.targets import every_chunk
from pincite.model import Chunk
from pincite.ports import Searchable
from pincite.support.names import last_component, words_of

Terms = Callable[[str], frozenset[str]]

#: Products that an answer would have to name.
_PRODUCTS: Final = tuple(
    "Cassandra,Kafka,Redis,GraphQL,Kubernetes,Terraform,RabbitMQ,Elasticsearch,MongoDB,Snowflake,"
    "Salesforce,SharePoint,Jenkins,Heroku,WordPress,Zapier,Airflow,Prometheus,OpenTelemetry,Kotlin,"
    "Haskell,Erlang,Fortran,COBOL,LDAP,Keycloak,Stripe,Twilio,Jira,Slack,SQLite,PostgreSQL,Ansible,"
    "Vagrant,WebAssembly,Bluetooth,Excel,SAP,Grafana,Splunk".split(",")
)
#: Actions that are possible with nearly anything.
_VERBS: Final = tuple(
    "rename,encrypt,compress,export,import,schedule,translate,archive,clone,merge,undo,throttle,"
    "benchmark,migrate,print,share,lock,version,restore,sort,split,validate,preview,audit".split(
        ","
    )
)
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z -]+")
_MOST_WORDS = 4  # of a heading that names a thing
_LEAST_CHARS = 3


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The chunks, the terms of each, and the terms of all."""

    chunks: Sequence[Chunk]
    of: Sequence[frozenset[str]]
    every: frozenset[str]


async def generate_near(
    collections: Iterable[Searchable], count: int, terms: Terms, *, seed: int = 0
) -> tuple[GoldenQuery, ...]:
    """Generate at most `count` near questions, the kinds in turn; the same seed gives the same
    questions."""
    chunks = [
        chunk
        for collection in collections
        async for chunk in every_chunk(collection.index, collection.spec.name)
        if chunk.source_type != "data"
    ]
    chunks.sort(key=lambda one: (one.repo, one.path, one.start, one.id))
    of = [terms(_text(one)) for one in chunks]
    corpus = _Corpus(chunks, of, frozenset[str]().union(*of))
    rng = random.Random(seed)
    kinds = (
        _swapped_names(corpus, terms, rng),
        _siblings(corpus, terms, rng),
        _products(corpus, terms, rng),
    )
    questions: dict[str, GoldenQuery] = {}
    for made in zip_longest(*kinds):
        for one in made:
            if one is not None and len(questions) < count:
                text, origin = one
                number = len(questions) + 1
                asked = GoldenQuery(
                    f"near-{number:03}", text, off_topic=True, near=True, synthetic=origin
                )
                questions.setdefault(text.lower(), asked)
        if len(questions) >= count:
            break
    return tuple(questions.values())


def _text(chunk: Chunk) -> str:
    above = (chunk.path, chunk.title, *chunk.headings, *chunk.symbols)
    return "\n".join((*above, chunk.read_as))


def _swapped_names(corpus: _Corpus, terms: Terms, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield questions about a name with the last part of another one, which occurs nowhere."""
    names = sorted(
        {
            name
            for chunk in corpus.chunks
            for symbol in chunk.definitions
            if len(words_of(name := last_component(symbol))) > 1 and name[0] not in "_."
        }
    )
    rng.shuffle(names)
    others = rng.sample(names, len(names))
    for name, other in zip(names, others, strict=True):
        parts, ends = words_of(name), words_of(other)
        end = ends[-1]
        if end.lower() == parts[-1].lower():
            continue
        end = end.capitalize() if parts[-1][:1].isupper() else end.lower()
        made = name[: name.rindex(parts[-1])] + end
        if terms(made.replace("_", "").lower()) & corpus.every:
            continue
        yield f"what does {made} do?", "near: swapped name"


def _siblings(corpus: _Corpus, terms: Terms, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield questions about a thing of the corpus with a verb that no chunk about the thing has."""
    for thing in _things(corpus, rng):
        stems = terms(thing)
        having = [found for found in corpus.of if stems <= found]
        verbs = [verb for verb in _VERBS if not any(terms(verb) & found for found in having)]
        if stems and having and verbs:
            yield f"How do I {rng.choice(verbs)} {_called(thing)}?", "near: sibling feature"


def _products(corpus: _Corpus, terms: Terms, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield questions about a thing of the corpus and a product that it never mentions."""
    absent = [name for name in _PRODUCTS if not terms(name) & corpus.every]
    for thing in _things(corpus, rng) if absent else ():
        said = f"How do I use {_called(thing)} with {rng.choice(absent)}?"
        yield said, "near: swapped name"


def _things(corpus: _Corpus, rng: random.Random) -> list[str]:
    """Return short headings and names of classes: first one of each file, then the others."""
    found: dict[str, dict[str, None]] = {}
    for chunk in corpus.chunks:
        classes = (name for name in chunk.definitions[:1] if name[:1].isupper())
        for name in (*chunk.headings[-1:], *classes):
            words = " ".join(name.split())
            short = len(words) > _LEAST_CHARS and len(words.split()) <= _MOST_WORDS
            if short and _PLAIN.fullmatch(words):
                found.setdefault(chunk.path, {})[words] = None
    piles = [rng.sample(list(things), len(things)) for _, things in sorted(found.items())]
    rng.shuffle(piles)
    return [thing for row in zip_longest(*piles) for thing in row if thing is not None]


def _called(thing: str) -> str:
    """Return the text as within a sentence: in lower case, except names."""
    words = thing.split()
    small = [word if word[1:] != word[1:].lower() else word.lower() for word in words]
    return " ".join(small)
