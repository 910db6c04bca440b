"""What each key of `pincite.toml` means, in a few words: the comments of `pincite presets show` and
the table of docs/configuration.md. A test holds it against the code that reads the keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: By table; `NAME` and `MODEL` stand for names that users choose.
MEANINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "models": {
            "dense": ('the model of new collections, PROVIDER:MODEL; "bundled" ships with Pincite'),
            "rerank": "the reranker, PROVIDER:MODEL; empty for none",
            "llm": "the language model, PROVIDER:MODEL; empty for none",
            "vision": (
                "describes pictures of documents, PROVIDER:MODEL; empty: no pictures are sent"
            ),
        },
        "store": {
            "kind": 'the vector store; "qdrant" if only a url is given',
            "url": "address of the server; empty for a store in the index folder",
            "prefix": "prefix of collection names on a server",
            "key_file": "file with the key of the server, if no variable has it",
            "timeout_s": "timeout of a request, in seconds",
            "grpc_port": "gRPC port for points and searches; 0 for HTTP",
            "consistency": "read consistency; empty for the server's default",
            "shards": "of a new collection; 0 for the server's default",
            "replicas": "of a new collection; 0 for the server's default",
            "write_consistency": "replicas that must confirm a write; 0 for the server's default",
            "on_disk": "keep vectors on disk instead of in memory",
            "quantization": "quantization of vectors; empty for the store's default",
            "tenant": "payload field that groups points on disk",
            "segments": "of a new collection on a Qdrant server; 0 for the server's default",
            "dimensions": "required dimensions of dense models; 0 for any",
            "fields": "payload fields that other programs expect in points of new collections",
            "base": "the default collection; it has one member for each dense model",
            "keyword": "keyword ranking in a store of kind sqlite: Pincite's BM25 or FTS5",
            "tokenizer": "tokenizer of FTS5",
            "title_weight": "weight of title and headings with FTS5; the text has 1",
            "path_weight": "weight of the path with FTS5; the text has 1",
        },
        "cache": {
            "limit_mb": "limit of the cache of provider embeddings, in MB; 0 for no cache",
        },
        "log": {
            "enabled": "whether searches are logged",
            "max_bytes": "size at which the log file is rotated, in bytes",
            "keep": "number of rotated files to keep",
            "mask_secrets": "mask what looks like a key or a password in questions",
        },
        "refresh": {
            "mode": (
                "whether the index updates itself;"
                " empty: auto for commands and servers, manual for programs"
            ),
            "every_s": "seconds after which a search triggers a scan of the folders",
            "watch": "also watch file events",
            "remote": "allow automatic updates that call paid providers or write to a server",
        },
        "tracing": {
            "enabled": "spans are sent to the collector of this machine if no variable names one",
            "texts": "spans have questions and citations, masked, too",
        },
        "logging": {
            "format": "what servers log: lines for people, or a JSON object a line",
        },
        "documents": {
            "ocr": (
                "run OCR on scanned PDF pages, for sources without their own setting;"
                " false: as before"
            ),
        },
        "memory": {
            "kind": "memory about users: in a file, in mem0, or off",
            "path": "the file, or the folder of mem0; empty for one in the index folder",
            "dense": (
                'the embedding model for facts, PROVIDER:MODEL or "bundled";'
                " empty: keyword search only; with mem0, the bundled model"
            ),
            "infer": "let the language model decide what mem0 stores",
        },
        "workspace": {
            "database": (
                "storage of workspaces: a file, a folder or the address"
                " of PostgreSQL; empty: `workspaces.db` in the index folder"
            ),
            "operator": "address of the same database for the operator, who creates users and keys",
            "owner": "address of the same database for migrations",
        },
        "collections.NAME": {
            "dense": "the model of this collection; empty for the one in [models]",
            "beside": (
                "documents that are indexed with another model get a collection beside this one"
            ),
            "depth": (
                "hits from semantic and from keyword search each; 0 for the limits of [retrieve]"
            ),
            "weight": "factor for its fused scores",
            "require": "attributes that every document must have and every search must specify",
            "qdrant": (
                "the name of a collection of another program "
                "on a Qdrant server, which this one then is"
            ),
            "model": "the dense model of that collection",
            "fields": "mapping of payload keys: the name of a layout, or a table",
            "url": "address of the server, if it differs from [store]",
            "key_file": "file with the key of the server",
            "timeout_s": "timeout of a request, in seconds",
            "vector": "name of the vector, if there are several",
            "sparse": "name of the sparse vector, if there is one",
            "sparse_model": "encoder of questions for the sparse vector",
            "kind": "for points without their own",
            "language": "for points without their own",
        },
        "providers.NAME": {
            "url": "base address; empty for the vendor's default",
            "key_file": "file with the key, if no variable has it",
            "timeout_s": "timeout of one request, in seconds",
            "deadline_s": "total time limit of all attempts, in seconds",
            "tries": "maximum number of attempts",
            "concurrency": "concurrent requests",
            "max_items": "texts per request; 0 for the provider's limit",
            "max_tokens": "tokens per request; 0 for the provider's limit",
            "max_item_tokens": "tokens per text; 0 for the model's limit",
            "tokenizer": "tokenizer.json for counting tokens",
            "oversize": "what to do with a single text above the limit",
            "query_prefix": "prefix of questions; unset: the usual prefix of the model",
            "document_prefix": "prefix of documents; unset: the usual prefix of the model",
            "instruction": "task instruction, for models that accept one",
            "body": "extra fields for the body of every request",
            "cache": "cache embeddings, so that you never pay for the same text twice",
            "scores": "kind of score of a reranker, if its file does not say",
            "prompt": "who applies the prompt template of Qwen3-Reranker",
            "prune_below": "SPLADE: drop weights up to this value; unset: the default",
            "document_terms": "SPLADE: terms to keep per document; 0 for the default",
            "query_terms": "SPLADE: terms to keep per question; 0 for the default",
            "normalise": "SPLADE: divide by the norm, so that scores are cosines",
            "precision": "precision of ONNX graphs converted from safetensors",
            "requests_per_minute": "rate limit per model, shared by all processes; 0 for none",
            "tokens_per_minute": "rate limit per model, shared by all processes; 0 for none",
        },
        "providers.NAME.rates.MODEL": {
            "requests_per_minute": "rate limit of this model; 0 for none",
            "tokens_per_minute": "rate limit of this model; 0 for none",
        },
        "source": {
            "path": "what to index: a folder, checkout, archive, wheel or file",
            "collection": "target collection; empty for the default",
            "name": "name of the source in citations; unset: detected, or unchanged",
            "ref": "revision, if the source records none; unset: detected, or unchanged",
            "url_rule": (
                "how paths become addresses: one rule or "
                "several, of which the first that matches decides"
            ),
            "anchors": "style of heading anchors in addresses; unset: detected, or unchanged",
            "include": "only paths that match these globs",
            "exclude": "exclude paths that match these globs",
            "attributes": "attributes of all its documents; an empty text removes one",
            "front_matter": "read attributes from Markdown front matter",
            "descriptions": "descriptions of folders and files, by path; empty removes one",
            "index_descriptions": "include descriptions in embeddings and keyword index",
            "mask_secrets": "replace what looks like a secret with stars",
            "ocr": "run OCR on scanned PDF pages; unset: unchanged",
        },
        "attributes": {
            "NAME": "type of an attribute; undeclared types are inferred from the first value",
        },
        "corpus": {
            "name": 'name of the corpus, as in "using Google ADK"',
            "docs": "name of its documentation; empty: the corpus name",
            "code": "name of its source code; empty: the corpus name",
            "topics": "topics in a few words",
        },
        "prepare": {
            "max_chars": "maximum length of a question; a longer one is truncated, with a notice",
            "expansions": (
                "rephrasings for a second pass, by the name "
                'of a collection or "*"; at most three each'
            ),
        },
        "expand": {
            "by": "source of rephrasings: none, names in the question, or the language model",
            "strong_best": "the words do without from this part of the highest BM25 there can be",
            "strong_gap": "and if the second hit lies below the first by this part of it",
            "timeout_s": "timeout in seconds; after it the question is searched unchanged",
            "max_tokens": "maximum tokens of the model's answer",
        },
        "retrieve": {
            "dense_limit": "semantic hits per collection",
            "sparse_limit": "keyword hits per collection",
            "hnsw_ef": "candidates that the vector index examines (HNSW ef)",
            "exact": "compare every vector instead of using the vector index",
            "timeout_s": "timeout in seconds; after it the collection is skipped",
            "widened": "factor for the limits when a kind of source is searched again",
            "identifier_weight": "weight of the question's identifiers in keyword search",
            "engine_fusion": (
                "let the store fuse both rankings: one request less, ties in random order"
            ),
            "engine_k": "the k of the store's RRF",
            "engine_limit": "results that the store returns when it fuses",
            "mode": "hybrid, semantic only, or keyword only",
            "keyword": "use keywords for ranking (BM25) or only as a filter",
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
            "method": "fusion method",
            "k": "of RRF",
            "expansion_weight": "weight of a rephrasing; the question has 1",
            "dense_weight": "share of semantic search",
            "foreign_dense_weight": (
                "that share if the model does not know the question's language"
            ),
            "code_dense_weight": "that share for questions about code in plain words",
            "apart": (
                "puts each collection on a scale of its own, where all are about the same thing"
            ),
            "vector_weight": "shifts these shares; 0 is keyword only, 1 is semantic only",
        },
        "across": {
            "method": "compare collections by score or by rank",
            "k": "of RRF",
            "depth": "how many of each collection take part in RRF; 0 for all",
            "per_result": (
                "so many times the results that are asked for take part; 0 leaves the depth"
            ),
        },
        "load": {
            "pool": "candidates to load for a reranker",
            "vectors": "load them with their vectors",
            "share": (
                "the part of the pool that one "
                "collection may take while others have candidates left"
            ),
            "alone": "the part of the pool that is enough without a reranker",
        },
        "dedup": {
            "same_text": "also drop chunks whose text differs only in white space",
        },
        "smooth": {
            "neighbours": "similar chunks that support a candidate",
            "weight": "weight of the neighbours; 0 leaves the scores unchanged",
            "pool": "number of top candidates to smooth",
        },
        "rank_code": {
            "coherence": "how much of what was found lies in the file",
            "coherent_dense": "share of semantic search in that",
            "coherent_from": "what a passage must score to count there, below 1",
            "covered": "the share of the file's name that the question has",
            "asked": "the share of the question that the file's name has",
            "folder": "the same of its folder",
            "same": "the question names the file",
            "defines": "it defines a name that is written like code in the question",
            "mentions": "it defines any word of the question",
            "overlap": "the share of the question in the names that it defines",
            "tests": "multiplies the score of tests; 1 leaves it",
            "prose": "factor for what is not code, in a collection of code",
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
            "use": "when to rerank; expected warns if no reranker is configured",
            "pool": "number of top candidates to rerank",
            "timeout_s": "timeout in seconds; after it the order of retrieval stays",
            "corpus": "overrides corpus.name",
            "instruction": ("instruction, for rerankers that accept one; empty for none"),
            "header": "how much of a passage's location (source, path, headings) to send",
            "body_tokens": "tokens to send per passage",
            "tokenizer": "tokenizer.json for counting them",
            "budget_tokens": "tokens that one request may cost",
            "batch": "passages per request, if several requests are needed",
            "top": "number of results to keep; 0 keeps all",
            "start_ms": "what a request costs, to plan a time budget",
            "each_ms": "what a passage costs, to plan a time budget",
        },
        "blend": {
            "method": "one share for all, or one by the place before reranking (tiers)",
            "rerank_weight": "1 uses the reranker's order only, 0 that of retrieval",
            "retrieval": "its side: the score over the highest, or 1 over the place",
        },
        "cover": {
            "candidates": "number of top candidates to examine",
            "word_weight": "what words weigh where the cosine, which weighs 1, is known",
        },
        "gate": {
            "signal": "signal that decides the verdict",
            "answerable": "ask the language model whether the best passages answer the question",
            "answerable_s": "timeout of that request, in seconds",
            "defined": "a definition of a name in the question raises the verdict to at least weak",
        },
        "gate.coverage_normalised": {
            "grounded_at": "grounded at or above this value",
            "weak_at": "weak at or above this value, none below",
            "calibrated": "both were calibrated on a golden set of this corpus",
        },
        "gate.coverage_share": {
            "grounded_at": "grounded at or above this value, without a model",
            "weak_at": "weak at or above this value, none below",
            "calibrated": "both were calibrated on a golden set of this corpus",
        },
        "gate.dense_cosine": {
            "grounded_at": "grounded at or above this value",
            "weak_at": "weak at or above this value, none below",
            "calibrated": "both were calibrated on a golden set of this corpus",
        },
        "gate.reranked_probability": {
            "grounded_at": "grounded at or above this value",
            "weak_at": "weak at or above this value, none below",
            "calibrated": "both were calibrated on a golden set of this corpus",
            "reranker": "fingerprint of the reranker used for calibration",
        },
        "select": {
            "results": "maximum number of results",
            "on_none": "what a verdict of none shows: the closest apart, or the nearest as results",
            "closest": "passages below the bar that are shown apart where the verdict is none",
            "per_document": "maximum chunks per document; 0 for no limit",
            "docs": "results of twelve that are documentation, where enough are relevant",
            "code": "results of twelve that are code, where enough are relevant",
            "buffer": "both are looked for among so many of the best; 0 for all",
            "need_url": "omit documentation without an address",
        },
        "again": {
            "few": "with fewer candidates, the rephrasings are searched, too",
            "widen": "fetch more of a kind of source that is underrepresented",
            "define": "if nothing matches, look for definitions of the names in the question",
        },
        "probe": {
            "enabled": "check the nearest chunk of each collection first",
            "threshold": "minimum cosine of that chunk for a question to be on topic",
            "exact": "compares with every vector where the store can, past the vector index",
        },
        "diversify": {
            "enabled": "choose diverse results (MMR)",
            "fetch": "size of the candidate pool, by cosine",
            "relevance": "balance: 1 for relevance only, 0 for diversity only",
        },
        "answer": {
            "mode": "what to do if the evidence is not good enough",
            "refusal": "a fixed sentence, or the model's own words over no evidence",
            "sentence": "the fixed sentence of a refusal",
            "context_tokens": (
                "maximum tokens of evidence in the prompt, by a conservative estimate"
            ),
            "answer_tokens": "maximum tokens of an answer",
            "facts": "maximum number of remembered facts in the prompt; 0 for none",
            "rewrite": "rewrite follow-ups into standalone questions, for retrieval only",
            "recent_turns": "recent turns to include verbatim in the rewrite and the prompt",
            "summary_tokens": "maximum tokens of the summary of earlier turns",
            "timeout_s": "timeout of each request to the language model, in seconds",
            "prompts": "folder of prompts next to this file that replace the bundled ones",
        },
        "context": {
            "around": "what is shown around a result; a unit: its function, class, section or list",
            "max_tokens": "maximum tokens of a unit, by a conservative estimate",
            "least_lines": "minimum lines of a unit, if file and budget allow",
            "file_share": "maximum share of the results for one file while others wait",
            "max_chars": "maximum characters of neighbours and sections",
        },
        "optimise": {
            "enabled": "merge overlapping or adjacent results of one file and drop repetitions",
            "alike": "drop a result if this share of it is contained in a better one",
            "max_tokens": "maximum tokens of a merged result, by a conservative estimate",
        },
        "pack": {
            "max_chars": "truncate longer texts, with a notice; 0 for no limit",
            "need_url": "warn about documentation without an address",
        },
    }
)
