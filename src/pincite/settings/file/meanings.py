"""One-line meanings of the keys of `pincite.toml`, for `pincite presets show` and
docs/configuration.md. A test compares them with the code that reads the keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: By table, then by key. `NAME` and `MODEL` stand for names that users choose.
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
            "idf": (
                "where a Qdrant server counts words for BM25: in all points, or in the"
                " filtered ones"
            ),
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
                " empty: auto for commands, servers and adapters, manual for other programs"
            ),
            "every_s": "seconds after which a search triggers a scan of the folders",
            "watch": "also watch file events",
            "remote": "allow automatic updates that call paid providers or write to a server",
        },
        "tracing": {
            "enabled": "send spans to the collector on this machine if no variable names one",
            "texts": "put questions and citations into spans, with secrets masked",
        },
        "logging": {
            "format": "format of server logs: lines for people, or one JSON object per line",
        },
        "documents": {
            "ocr": (
                "run OCR on scanned PDF pages, for sources without their own setting; false:"
                " unchanged"
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
            "files": "bucket for uploaded files, as s3://BUCKET/PREFIX; empty: the index folder",
            "metadata": (
                "how uploaded documents are described: by rules, or also by the model of models.llm"
            ),
            "metadata_chars": "characters of a document to send to the model",
            "metadata_timeout_s": "timeout per document, in seconds",
            "metadata_tokens": "maximum tokens of the model's answer per document",
        },
        "workspace.s3": {
            "endpoint": "address of the bucket's server; empty for Amazon's in the region",
            "region": "region that requests are signed for",
            "key_file": (
                "file with credentials in the format of AWS; empty: the variables `AWS_...`,"
                " or the role of the machine"
            ),
        },
        "workspace.oidc": {
            "issuer": (
                "https address of the issuer whose tokens are accepted beside keys; empty for none"
            ),
            "audience": "audience that tokens for this server must name",
            "algorithms": "accepted signature algorithms",
            "skew_s": "tolerated clock difference, in seconds",
            "user_claim": "claim with the user's id",
            "name_claim": "claim with the name of users that are created",
            "scopes_claim": "claim with scopes or roles; dots lead into nested claims",
            "create_users": "create a user when a valid token is seen for the first time",
        },
        "workspace.oidc.scopes": {
            "search": "values of that claim that allow searching and reading",
            "write": "values that allow changes",
            "admin": "values that allow `/metrics`",
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
                "name of a collection that another program made on a Qdrant server, under this"
                " name here"
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
            "query_prefix": "prefix of questions; unset: the default prefix of the model",
            "document_prefix": "prefix of documents; unset: the default prefix of the model",
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
            "file_types": 'types of files by pattern, such as `"*.tmpl" = "html"`',
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
            "mode": "the task if `mode` of a search is unset; all but explain ask for both kinds",
            "expansions": (
                "rephrasings for a second pass, by the name "
                'of a collection or "*"; at most three each'
            ),
        },
        "expand": {
            "by": "source of rephrasings: none, names in the question, or the language model",
            "strong_best": (
                "skip rephrasing if the best BM25 score is at least this share of"
                " the possible maximum"
            ),
            "strong_gap": "and the second-best score is lower by at least this share",
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
            "mode": "hybrid, semantic only, or keyword only; `by` of a search",
            "keyword": "use keywords for ranking (BM25) or only as a filter",
            "per_result": (
                "multiply the requested number of results to get the limits; 0 for fixed limits"
            ),
            "least_per_result": ("minimum limits, as a multiple of the requested results"),
            "code_limit": "minimum hits of each side in a collection that is at least half code",
            "symbol_limit": (
                "hits among definitions of each name in the question, in a collection of code"
            ),
        },
        "fuse": {
            "method": "fusion method",
            "k": "of RRF",
            "expansion_weight": "weight of a rephrasing; the question has 1",
            "dense_weight": "share of semantic search",
            "foreign_dense_weight": (
                "this share if the model does not know the question's language"
            ),
            "code_dense_weight": "this share for questions about code in plain words",
            "short_dense_weight": (
                "upper limit of this share for questions of one or two words, if not about code"
            ),
            "apart": ("scale each collection separately; for collections about the same subject"),
            "vector_weight": "shift these shares; 0 is keyword only, 1 is semantic only",
        },
        "across": {
            "method": "merge collections by score or by rank, after `fuse`",
            "k": "of RRF",
            "depth": "how many of each collection take part in RRF; 0 for all",
            "per_result": (
                "multiply the requested number of results to get that number; 0 leaves the depth"
            ),
        },
        "load": {
            "pool": "candidates to load for a reranker",
            "vectors": "load the candidates with their vectors",
            "share": (
                "maximum share of the pool for one collection while others have candidates left"
            ),
            "alone": "share of the pool to load without a reranker",
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
            "coherence": "weight of the share of hits that lie in the file",
            "coherent_dense": "share of semantic search in that weight",
            "coherent_from": "minimum score of a passage to count there, below 1",
            "dominant": "share of all definitions in hits above which a file counts less there",
            "covered": "weight of the share of the file name's words that the question has",
            "asked": "weight of the share of the question's words that the file name has",
            "folder": "the same two shares for the folder",
            "same": "bonus if the question names the file",
            "placed": (
                "weight of the share of the folder's words in a question with the whole file name"
            ),
            "defines": (
                "bonus for defining a name that is written like code; times 3 if only that is asked"
            ),
            "mentions": "bonus for defining any word of the question",
            "overlap": "weight of the share of the question's words in the defined names",
            "copied": "weight of text and flags that the question has copied from a passage",
            "terms": (
                "weight of the share of the question's words, by rarity, in the file's best passage"
            ),
            "tests": "factor for the score of tests; 1 leaves it unchanged",
            "prose": "least factor for files other than code, in a collection of code",
            "minor": "factor for the score of examples and similar files",
            "unasked": "factor for other files if the question is for tests, pages or changes",
            "further": "factor for the score of each further passage of a file",
            "bare": "factor, within a file, for passages with only comments and imports",
            "mixed": "weight of the order of files where documentation and code are mixed",
            "defined_first": (
                "definitions, tests or handlers of a route that come first if they are asked for; 0"
                " also keeps callers and heirs in their place"
            ),
            "pool": (
                "minimum number of loaded candidates in a collection that is at least half code"
            ),
            "by_words": (
                "number of the best hits of keyword search to load as well, as a share of the pool"
            ),
            "source_named": (
                "count the name of the source as a word of file names, if there is only one source"
            ),
            "words_power": (
                "exponent of scores from keyword search alone; 1 leaves them unchanged"
            ),
            "words_again": (
                "weight of the keyword score alone in a file's best passage, if a model takes part"
            ),
            "bodies_first": (
                "let a header of C exchange its score with the file that has its bodies"
            ),
            "enabled": "rank passages of code by their files",
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
            "start_ms": "estimated milliseconds per request, for planning a time budget",
            "each_ms": "estimated milliseconds per passage, for planning a time budget",
        },
        "blend": {
            "method": "one share for all, or one by the rank before reranking (tiers)",
            "rerank_weight": (
                "weight of the reranker: 1 for its order only, 0 for that of retrieval"
            ),
            "retrieval": (
                "value for retrieval: the score divided by the highest, or 1 divided by the rank"
            ),
        },
        "cover": {
            "candidates": "number of top candidates to examine",
            "word_weight": "weight of keyword coverage beside the cosine, whose weight is 1",
        },
        "gate": {
            "signal": "signal that decides the verdict",
            "answerable": "ask the language model whether the best passages answer the question",
            "answerable_s": "timeout of that request, in seconds",
            "defined": (
                "a definition of a name in the question raises the verdict to at least weak, and so"
                " does a passage with the word that is the question"
            ),
            "absent_share": (
                "without a model, coverage needed for grounded if the index lacks a word of the"
                " question; 0: no more than otherwise"
            ),
            "absent_normalised": "the same with a model",
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
            "on_none": (
                "what to show for a verdict of none: the closest passages separately,"
                " or the nearest as results"
            ),
            "closest": "number of closest passages to show separately for a verdict of none",
            "per_document": "maximum chunks per document; 0 for no limit",
            "docs": "minimum documentation results of twelve, if enough are relevant",
            "code": "minimum code results of twelve, if enough are relevant",
            "buffer": "number of top candidates to search for both; 0 for all",
            "need_url": "omit documentation without an address",
        },
        "again": {
            "few": "with fewer candidates, the rephrasings are searched, too",
            "widen": "search again for a kind of source with too few results",
            "define": "if nothing matches, look for definitions of the names in the question",
        },
        "probe": {
            "enabled": "check the nearest chunk of each collection first",
            "threshold": "minimum cosine of that chunk for a question to be on topic",
            "exact": (
                "compare with every vector where the store can do so, without the vector index"
            ),
        },
        "diversify": {
            "enabled": "choose diverse results (MMR)",
            "fetch": "size of the candidate pool, by cosine",
            "relevance": "balance: 1 for relevance only, 0 for diversity only",
        },
        "answer": {
            "mode": "what to do if the evidence is not good enough; `mode` of an answer",
            "refusal": "a fixed sentence, or an answer by the model without evidence",
            "sentence": "the fixed sentence of a refusal",
            "context_tokens": (
                "maximum tokens of evidence in the prompt, by a conservative estimate"
            ),
            "order": "evidence in the prompt: by rank, or the best at both ends (u)",
            "answer_tokens": "maximum tokens of an answer",
            "facts": "maximum number of remembered facts in the prompt; 0 for none",
            "rewrite": "rewrite follow-ups into standalone questions, for retrieval only",
            "recent_turns": "recent turns to include verbatim in the rewrite and the prompt",
            "summary_tokens": "maximum tokens of the summary of earlier turns",
            "timeout_s": "timeout of each request to the language model, in seconds",
            "prompts": "folder of prompts, relative to the file, that replace the bundled ones",
        },
        "context": {
            "around": (
                "text to show around a result; a unit is its function, class, section or list"
            ),
            "max_tokens": "maximum tokens of a unit, by a conservative estimate",
            "least_lines": "minimum lines of a unit, if file and budget allow",
            "file_share": "maximum share of the results for one file while others wait",
            "file_share_from": "others that wait have at least this share of the score",
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
