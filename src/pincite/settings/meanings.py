"""What each key of `pincite.toml` means, in a few words: the comments of `pincite presets show` and
the table of docs/configuration.md. A test holds it against the code that reads the keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: By table; `NAME` and `MODEL` stand for names that users choose.
MEANINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "models": {
            "dense": (
                "the model of new collections, PROVIDER:MODEL; "
                '"bundled" is the one that comes along'
            ),
            "rerank": "the reranker, PROVIDER:MODEL; empty for none",
            "llm": "the language model, PROVIDER:MODEL; empty for none",
            "vision": "describes pictures of documents, PROVIDER:MODEL; empty: none are sent",
        },
        "store": {
            "kind": 'where points are kept; "qdrant" where only a url is given',
            "url": "the server; empty for a store in the index folder",
            "prefix": "put before the names of collections on a server",
            "key_file": "a file that holds the key of the server, where no variable does",
            "timeout_s": "seconds until a request counts as failed",
            "grpc_port": "points and searches go there over gRPC; 0 for HTTP",
            "consistency": "what reads ask of replicas; empty leaves it to the server",
            "shards": "of a new collection; 0 leaves it to the server",
            "replicas": "of a new collection; 0 leaves it to the server",
            "write_consistency": "replicas that a write waits for; 0 leaves it to the server",
            "on_disk": "whether vectors stay on disk",
            "quantization": "of vectors; empty leaves it to the store",
            "tenant": "the field by whose values points are kept together on disk",
            "segments": "of a new collection on a Qdrant server; 0 leaves it to the server",
            "dimensions": "those that a dense model must have to be indexed with; 0 for any",
            "fields": "names that every point of a new collection has for other programs",
            "base": "the collection meant where none is named; with one for each dense model",
            "keyword": "who ranks by words in a store of kind sqlite: Pincite's BM25, or FTS5's",
            "tokenizer": "how FTS5 cuts texts into words",
            "title_weight": "what a word of title and headings counts with FTS5, for 1 in the text",
            "path_weight": "what a word of the path counts with FTS5, for 1 in the text",
        },
        "cache": {
            "limit_mb": "megabytes of vectors that were paid for; 0 for no cache",
        },
        "log": {
            "enabled": "whether searches are logged",
            "max_bytes": "a file is put aside when the next line would make it larger",
            "keep": "files that are put aside and kept",
            "mask_secrets": "leaves out what looks like a key or a password in a question",
        },
        "refresh": {
            "mode": (
                "whether the index keeps itself up to date;"
                " empty: auto for commands and servers, manual for programs"
            ),
            "every_s": "a search has the folders looked at when the last look is older",
            "watch": "whether file events are heard, too",
            "remote": "whether it also pays a provider and writes to a server by itself",
        },
        "tracing": {
            "enabled": "spans are sent to the collector of this machine if no variable names one",
            "texts": "spans have questions and citations, masked, too",
        },
        "logging": {
            "format": "what servers and the daemon log: lines for people, or a JSON object a line",
        },
        "documents": {
            "ocr": (
                "reads pages of PDFs that are pictures, in sources that do not say it;"
                " false: as before"
            ),
        },
        "memory": {
            "kind": "what is remembered of users is kept in a file, by mem0, or not at all",
            "path": "the file, or the folder of mem0; empty for one in the index folder",
            "dense": (
                'the model that finds facts by meaning, PROVIDER:MODEL or "bundled";'
                " empty: words alone, with mem0 the bundled one"
            ),
            "infer": "whether the language model decides what mem0 remembers of a text",
        },
        "workspace": {
            "database": (
                "where users and documents of workspaces are kept: a file, a folder or the address"
                " of PostgreSQL; empty: `workspaces.db` in the index folder"
            ),
            "operator": "the address of the same PostgreSQL database for who makes users and keys",
            "owner": "the address of the same PostgreSQL database for migrations",
        },
        "collections.NAME": {
            "dense": "the model of this collection; empty: that of [models]",
            "beside": (
                "documents that are indexed with another model get a collection beside this one"
            ),
            "depth": "hits of each side; 0 for the limits of [retrieve]",
            "weight": "what its fused scores are multiplied with",
            "require": "attributes that every document has, and every search and read names",
            "qdrant": (
                "the name of a collection of another program "
                "on a Qdrant server, which this one then is"
            ),
            "model": "the dense model of that collection",
            "fields": "which key of a point holds what: a layout, or a table",
            "url": "the server, where that is not the one of [store]",
            "key_file": "a file that holds the key of the server",
            "timeout_s": "seconds until a request counts as failed",
            "vector": "the vector's name, where there are several",
            "sparse": "the sparse vector's name, where there is one",
            "sparse_model": "what encodes questions for the sparse vector",
            "kind": "of points that do not say it themselves",
            "language": "of points that do not say it themselves",
        },
        "providers.NAME": {
            "url": "where it is; empty for the vendor's own address",
            "key_file": "a file that holds the key, where no variable does",
            "timeout_s": "seconds until one request counts as failed",
            "deadline_s": "seconds for all tries together",
            "tries": "times that a request is sent at most",
            "concurrency": "requests at a time",
            "max_items": "texts in one request; 0 for what the provider takes",
            "max_tokens": "tokens in one request; 0 for what the provider takes",
            "max_item_tokens": "tokens of one text; 0 for what the model takes",
            "tokenizer": "a tokenizer.json to count tokens with",
            "oversize": "what becomes of a text that is too large alone",
            "query_prefix": "put before questions; unset: what the model's name calls for",
            "document_prefix": "put before documents; unset: what the model's name calls for",
            "instruction": "what the model is told of the task, where it takes that",
            "body": "added to every request as it is",
            "cache": "whether vectors are kept, so that no text is paid for twice",
            "scores": "what a reranker gives, where its file does not know",
            "prompt": "who applies the prompt of Qwen3-Reranker",
            "prune_below": "SPLADE: weights at most this are dropped; unset: the usual limit",
            "document_terms": "SPLADE: terms of a document that are kept; 0 for the usual number",
            "query_terms": "SPLADE: terms of a question that are kept; 0 for the usual number",
            "normalise": "SPLADE: divides by the norm, which makes scores cosines",
            "precision": "of graphs that are made from safetensors",
            "requests_per_minute": "of each model, all processes together; 0 for no limit",
            "tokens_per_minute": "of each model, all processes together; 0 for no limit",
        },
        "providers.NAME.rates.MODEL": {
            "requests_per_minute": "of this model; 0 for no limit",
            "tokens_per_minute": "of this model; 0 for no limit",
        },
        "source": {
            "path": "what to index: a folder, checkout, archive, wheel or file",
            "collection": "where it is indexed into; empty for the default one",
            "name": "how citations begin; unset: found, or as before",
            "ref": "the revision of what records none itself; unset: found, or as before",
            "url_rule": (
                "how paths become addresses: one rule or "
                "several, of which the first that matches decides"
            ),
            "anchors": "how addresses name headings; unset: found, or as before",
            "include": "only paths that match these globs",
            "exclude": "no paths that match these globs",
            "attributes": "values that all of its documents have; an empty text removes one",
            "front_matter": "whether the front matter of Markdown gives attributes",
            "descriptions": "what folders and files below it are, by path; empty removes one",
            "index_descriptions": "whether encoders read these",
            "mask_secrets": "whether stars stand in place of what looks like a secret",
            "ocr": "whether pages of PDFs that are pictures are read by OCR; unset: as before",
        },
        "attributes": {
            "NAME": "the type of an attribute; of others it is inferred from the first value",
        },
        "corpus": {
            "name": 'what is indexed, as in "using Google ADK"',
            "docs": "what its documentation is called; empty: the name",
            "code": "what its source code is called; empty: the name",
            "topics": "a few words for what it is about",
        },
        "prepare": {
            "max_chars": "a longer question is cut, with a notice",
            "expansions": (
                "other wordings for a second pass, by the name "
                'of a collection or "*"; at most three each'
            ),
        },
        "expand": {
            "by": "who words the question otherwise: nobody, its names, or the language model",
            "strong_best": "the words do without from this part of the highest BM25 there can be",
            "strong_gap": "and if the second hit lies below the first by this part of it",
            "timeout_s": "seconds until the question is asked as it is",
            "max_tokens": "tokens of the model's answer at most",
        },
        "retrieve": {
            "dense_limit": "hits by meaning of each collection",
            "sparse_limit": "hits by words of each collection",
            "hnsw_ef": "candidates that the vector index looks at",
            "exact": "compares every vector instead of asking the vector index",
            "timeout_s": "seconds until a collection is left out",
            "widened": "what limits are multiplied by for a kind of source that is asked again",
            "identifier_weight": "how much more the question's identifiers count by words",
            "engine_fusion": (
                "lets the store fuse both sides, which saves a request; it breaks ties at random"
            ),
            "engine_k": "the k of the store's RRF",
            "engine_limit": "results that the store returns where it fuses",
            "mode": "both sides, by meaning alone, or by words alone",
            "keyword": "words rank by BM25, or are a filter",
            "per_result": (
                "the limits are so many times the results that are asked for; 0 leaves them"
            ),
            "least_per_result": (
                "the limits are at least so many times the results that are asked for"
            ),
            "code_limit": "hits of each side of a collection of code, at least",
            "symbol_limit": (
                "hits among the definitions of each name in the question, in a collection of code"
            ),
        },
        "fuse": {
            "method": "how both sides become one ranking",
            "k": "of RRF",
            "expansion_weight": "what another wording weighs against the question",
            "dense_weight": "the share of the side by meaning",
            "foreign_dense_weight": (
                "that share where the model does not know the question's language"
            ),
            "code_dense_weight": "that share for code that is asked for in words",
            "apart": (
                "puts each collection on a scale of its own, where all are about the same thing"
            ),
            "vector_weight": "shifts these shares; 0 and 1 leave one side alone",
        },
        "across": {
            "method": "collections are compared by score or by place",
            "k": "of RRF",
            "depth": "how many of each collection take part in RRF; 0 for all",
            "per_result": (
                "so many times the results that are asked for take part; 0 leaves the depth"
            ),
        },
        "load": {
            "pool": "candidates that are loaded for a reranker",
            "vectors": "whether they are loaded with their vectors",
            "share": (
                "the part of the pool that one "
                "collection may take while others have candidates left"
            ),
            "alone": "the part of the pool that is enough without a reranker",
        },
        "dedup": {
            "same_text": "drops chunks whose text is equal up to white space, too",
        },
        "smooth": {
            "neighbours": "neighbours that speak for a candidate",
            "weight": "what they count; 0 leaves the scores alone",
            "pool": "how many of the best are smoothed",
        },
        "rank_code": {
            "coherence": "how much of what was found lies in the file",
            "coherent_dense": "the share of the side by meaning in that",
            "coherent_from": "what a passage must score to count there, below 1",
            "covered": "the share of the file's name that the question has",
            "asked": "the share of the question that the file's name has",
            "folder": "the same of its folder",
            "same": "the question names the file",
            "defines": "it defines a name that is written like code in the question",
            "mentions": "it defines any word of the question",
            "overlap": "the share of the question in the names that it defines",
            "tests": "multiplies the score of tests; 1 leaves it",
            "prose": "multiplies the score of what is no code, in a collection of code",
            "minor": "multiplies the score of examples and the like",
            "further": "multiplies the score of each further passage of a file",
            "bare": "multiplies, within a file, the score of nothing but comments and imports",
            "mixed": "how much the order of files counts where documentation is found beside code",
            "pool": "candidates that are loaded at least, where there is a collection of code",
            "source_named": "whether the name of the only source found is a word of names of files",
            "words_power": "the power of scores that words alone have given; 1 leaves them",
            "enabled": "whether passages of code are ranked by their files",
        },
        "rerank": {
            "use": "the configured reranker, if any; expected says where it is missing",
            "pool": "how many of the best are judged",
            "timeout_s": "seconds until the order of retrieval is kept",
            "corpus": "stands in for corpus.name",
            "instruction": (
                "what a reranker is told that takes an instruction; empty tells it nothing"
            ),
            "header": "how much is said of where a passage stands",
            "body_tokens": "tokens of a passage that are sent",
            "tokenizer": "a tokenizer.json to count them with",
            "budget_tokens": "tokens that one request may cost",
            "batch": "passages in a request where there are several",
            "top": "asks for so many of the best and keeps these alone; 0 keeps all",
            "start_ms": "what a request costs, to plan a time budget",
            "each_ms": "what a passage costs, to plan a time budget",
        },
        "blend": {
            "method": "one share for all, or one by the place before reranking (tiers)",
            "rerank_weight": "1 leaves the order to the reranker, 0 to retrieval",
            "retrieval": "its side: the score over the highest, or 1 over the place",
        },
        "cover": {
            "candidates": "how many of the best are looked at",
            "word_weight": "what words weigh where the cosine, which weighs 1, is known",
        },
        "gate": {
            "signal": "what the verdict is judged by",
            "answerable": "whether the language model is asked if the best passages answer",
            "answerable_s": "seconds that it may take",
            "defined": "what defines a name of the question makes the verdict weak at least",
        },
        "gate.coverage_normalised": {
            "grounded_at": "grounded from here on",
            "weak_at": "weak from here on, none below",
            "calibrated": "whether both come from a golden set of this corpus",
        },
        "gate.coverage_share": {
            "grounded_at": "grounded from here on, without a model",
            "weak_at": "weak from here on, none below",
            "calibrated": "whether both come from a golden set of this corpus",
        },
        "gate.dense_cosine": {
            "grounded_at": "grounded from here on",
            "weak_at": "weak from here on, none below",
            "calibrated": "whether both come from a golden set of this corpus",
        },
        "gate.reranked_probability": {
            "grounded_at": "grounded from here on",
            "weak_at": "weak from here on, none below",
            "calibrated": "whether both come from a golden set of this corpus",
            "reranker": "the fingerprint of the reranker that they were calibrated with",
        },
        "select": {
            "results": "results at most",
            "on_none": "what a verdict of none shows: the closest apart, or the nearest as results",
            "closest": "passages below the bar that are shown apart where the verdict is none",
            "per_document": "chunks of one document at most; 0 for any number",
            "docs": "results of twelve that are documentation, where enough are relevant",
            "code": "results of twelve that are code, where enough are relevant",
            "buffer": "both are looked for among so many of the best; 0 for all",
            "need_url": "leaves out documentation that has no address",
        },
        "again": {
            "few": "with fewer candidates the other wordings are asked",
            "widen": "fetches more of a kind of source of which too little is shown",
            "define": "looks for what defines the names of the question where nothing fits",
        },
        "probe": {
            "enabled": "looks at the nearest chunk of each collection before anything else",
            "threshold": "its cosine, from which on a question is on topic",
            "exact": "compares with every vector where the store can, past the vector index",
        },
        "diversify": {
            "enabled": "chooses results that differ from each other (MMR)",
            "fetch": "among so many of the best by cosine",
            "relevance": "what relevance counts against difference: 1 for it alone, 0 for none",
        },
        "answer": {
            "mode": "what happens where the evidence is not good enough",
            "refusal": "a fixed sentence, or the model's own words over no evidence",
            "sentence": "the fixed sentence of a refusal",
            "context_tokens": "of evidence in the prompt at most, estimated from above",
            "answer_tokens": "of an answer at most",
            "facts": "of the user's memory in the prompt at most; 0 for none",
            "rewrite": "follow-ups are rewritten to stand alone, for retrieval only",
            "recent_turns": "turns that go into that and into the prompt as they are",
            "summary_tokens": "of the summary of what was said before, at most",
            "timeout_s": "for each request to the language model",
            "prompts": "a folder of prompts beside this file that replace those that come along",
        },
        "context": {
            "around": "what is shown around a result; a unit: its function, class, section or list",
            "max_tokens": "estimated tokens of a unit at most, from above",
            "least_lines": "lines of a unit at least, where the file and the budget have them",
            "file_share": "share of the results that one file has at most while others wait",
            "max_chars": "characters of neighbours and sections at most",
        },
        "optimise": {
            "enabled": "puts results of one file that meet together, and leaves repetitions out",
            "alike": "a result is left out if so much of it stands in a better one",
            "max_tokens": "estimated tokens of what is put together at most, from above",
        },
        "pack": {
            "max_chars": "longer texts are cut, with a notice; 0 cuts nothing",
            "need_url": "says of documentation without an address that it has none",
        },
    }
)
