"""Words of the question that occur nowhere."""

from __future__ import annotations

import asyncio

import pytest

from pincite.model import AbsentTerms, EvidencePack, Ranking, Scope, TermCounts
from pincite.ports import AnyOf, Filter, Readable, SearchRequest
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.absent import find_absent
from pincite.stages.select import SelectConfig
from pincite.support.fields import replace
from tests.builders import candidate
from tests.small_search import TopicEncoder, ask, make

TEXTS = {
    "keys": "To rotate a key call rotate_key with the new secret. It uses the lru_cache.",
    "clients": "The class WebClient retries requests; indices are built by the HTTPServer.",
    "backups": "Backups run every night and are kept for thirty days, 4,000 of them.",
    "behaviour": "The behaviour of an authorised client was written down by two children.",
}
KEEP = Profile(select=SelectConfig(on_none="keep"))


def absent(question: str, scope: Scope | None = None) -> AbsentTerms:
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    return ask(question, collection, profile=KEEP, scope=scope).absent_terms


def test_a_word_that_no_passage_has_is_named_as_the_question_has_it() -> None:
    assert absent("How do I rotate a key in Cassandra?").index == ("Cassandra",)
    assert absent("rotateAllKeys with the secret").index == ("rotateAllKeys",)
    assert absent("call rotate_keys_now").index == ("rotate_keys_now",)
    assert absent("RotateKeyBackend").index == ("RotateKeyBackend",)
    for name in ("SevrerKey", "HTTPSevrer", "KeyServr", "GoogleOAuth2Key"):
        assert absent(name).index == (name,)  # the index has one of its words


@pytest.mark.parametrize(
    "question",
    [
        "rotating keys",  # another inflection
        "cache of a key",  # a part of a name
        "rotateKey",  # a name written in another way
        "rotate-key",
        "ROTATE_KEY",
        "lru",
        "a web server with a client",
        "WebServer",
        "HttpServer",
        "index",  # forms that no stemmer brings together
        "a child writes",
        "authorized behavior",
        "4000 backups",
        "How is it that they would be in this?",  # function words
        "バックアップ",  # no word can be told apart
        "",
    ],
)
def test_what_is_there_in_another_form_is_never_said_to_be_absent(question: str) -> None:
    assert absent(question or "key").index == ()


@pytest.mark.parametrize("question", ["PDFs", "GPUs", "APIs", "VMs"])
def test_the_plural_of_an_abbreviation_is_not_absent_beside_its_singular(question: str) -> None:
    """The stemmer takes the `s` from `APIs` only: the others are other terms than in the index."""
    text = "The reader of a PDF runs on a GPU of the VM, behind an API."
    collection = asyncio.run(make(TopicEncoder(), {**TEXTS, "reader": text}))
    shown = ask(f"the reader with {question}", collection, profile=KEEP)
    assert any(one.text == text for one in shown)
    assert shown.absent_terms == AbsentTerms()


def test_the_plural_of_an_abbreviation_that_no_passage_has_is_named() -> None:
    found = absent("rotate a key with the SDKs of the OSs")  # `lru_cache` and `those` have `os`
    assert (found.index, found.evidence) == ((), ("SDKs", "OSs"))
    assert absent("rotate a key with URIs").index == ("URIs",)  # its stem is that of its singular


@pytest.mark.parametrize(
    ("question", "index"),
    [
        ("Wer rotiert die keys?", ()),  # rotiert may be a form of a word that is there
        ("Rotiert man die keys nicht?", ()),
        (
            "Wie rotiert man die keys mit Cassandra und rotate_keys_now?",
            ("Cassandra", "rotate_keys_now"),
        ),
        ("Кто меняет ключи key secret?", ()),
    ],
)
def test_of_other_languages_only_names_are_said_to_be_absent(
    question: str, index: tuple[str, ...]
) -> None:
    assert absent(question).index == index


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The façade in Zürich is naïve.", "Zurich facade naive"),
        ("The facade in Zurich is naive.", "Zürich façade naïve"),
        ("The fac\u0327ade in Zu\u0308rich is naive.", "Zürich façade"),  # marks of their own
        ("The façade in Zürich is naive.", "Zu\u0308rich fac\u0327ade"),
        ("Played by Antonín Dvořák in Łódź.", "Antonin Dvorak Lodz"),
        ("Ο καφές στην Ελλάδα.", "Ελλαδα καφες"),
        ("Зелёная ёлка в лесу.", "елка Зеленая"),
        ("يُضاف السماد العضوي في الربيع.", "يضاف السماد"),
        ("يضاف السماد العضوي في الربيع.", "يُضاف السَّماد"),
        ("הַמָּסִיק מתחיל בסתיו.", "המסיק"),
        ("המסיק מתחיל בסתיו.", "הַמָּסִיק"),
        ("हिन्दी में लिखा है।", "हिन्दी"),
        ("The \ufb01le of the co\u00adopera\u00adtive.", "file cooperative"),
    ],
)
def test_marks_do_not_make_another_word(text: str, question: str) -> None:
    for one in (question, question.upper()):
        collection = asyncio.run(make(TopicEncoder(), {"marks": text}))
        assert ask(one, collection, profile=KEEP).absent_terms == AbsentTerms()


def test_a_word_of_another_script_is_found_by_its_stem() -> None:
    terms = informative_terms("arabic")
    shown = [candidate("one", text="كتب احمد الرسالة")]
    assert find_absent("أحمد", shown, (), {}, (), terms) == AbsentTerms()
    assert find_absent("محمود", shown, (), {}, (), terms).evidence == ("محمود",)


def test_what_is_elsewhere_is_missing_from_the_passages_alone() -> None:
    found = absent("key of the WebClient at night", Scope(paths=("key*",)))
    assert found.index == ()
    assert set(found.evidence) == {"WebClient", "night"}


def test_nothing_is_said_twice() -> None:
    found = absent("Cassandra, cassandra and CASSANDRA rotate a key")
    assert found == AbsentTerms(index=("Cassandra",))


class Requiring:
    """An index whose collection counts for all, and tells nobody."""

    def __init__(self, index: Readable) -> None:
        self.index = index

    def __getattr__(self, name: str) -> object:
        return getattr(self.index, name)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        found = await self.index.search(collection, request)
        return tuple(replace(ranking, counted=None) for ranking in found)


def without_counts(question: str) -> EvidencePack:
    one = asyncio.run(make(TopicEncoder(), TEXTS))
    return ask(question, replace(one, index=Requiring(one.index)), profile=KEEP)


def test_a_collection_that_does_not_count_is_never_said_to_lack_a_word() -> None:
    found = without_counts("rotate a key in Cassandra quickly").absent_terms
    assert found == AbsentTerms(evidence=("Cassandra",))


def test_to_whoever_is_kept_apart_it_does_not_matter_how_often_others_have_a_word() -> None:
    one = asyncio.run(make(None, {"keys": TEXTS["keys"]}))
    ids = one.sparse.encode_query("WebClient").indices
    shown = [candidate("keys", text=TEXTS["keys"])]

    def found(chunks: int, having: int, *, apart: bool) -> AbsentTerms:
        counts = {"main": TermCounts(chunks, dict.fromkeys(ids, having))}
        given = ("key of the WebClient", shown, (), counts, [one], informative_terms("english"))
        return find_absent(*given, apart=apart)

    rare, common = (1_000, 1), (1_000, 900)
    assert found(*rare, apart=False) != found(*common, apart=False) == AbsentTerms()
    for often in (rare, common):
        assert found(*often, apart=True) == AbsentTerms(evidence=("WebClient",))


def test_a_collection_that_requires_tags_hands_out_no_counts() -> None:
    one = asyncio.run(make(None, TEXTS))
    spec = replace(one.spec, require=("tenant",), attributes={"tenant": "keyword"})
    asyncio.run(one.index.create(spec))  # type: ignore[attr-defined]
    mine = Filter(must=(AnyOf("tenant", ("a",)),))
    request = SearchRequest(sparse=one.sparse.encode_query("key"), filter=mine)
    (ranking,) = asyncio.run(one.index.search("main", request))
    assert ranking.counted is None


def test_a_term_is_absent_only_where_all_collections_lack_it() -> None:
    one = asyncio.run(make(TopicEncoder(), {"keys": TEXTS["keys"]}, "one"))
    two = asyncio.run(make(TopicEncoder(), {"clients": TEXTS["clients"]}, "two"))
    assert ask("WebClient key Cassandra", one, two, profile=KEEP).absent_terms.index == (
        "Cassandra",
    )
    assert ask("WebClient key", one, profile=KEEP).absent_terms.index == ("WebClient",)


def test_a_long_question_names_a_few_and_ends_soon() -> None:
    words = " ".join(f"zzq{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600))
    assert len(absent(f"key {words}").index) == 8
