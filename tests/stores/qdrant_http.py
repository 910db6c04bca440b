"""A Qdrant server in small: real HTTP in front, the client's own engine behind.

Every request is held against the published OpenAPI first. What does not follow it is answered with
400, as by the server.
"""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from jsonschema_rs import Draft202012Validator
from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models

DESCRIPTION = json.loads(Path(__file__).with_name("qdrant_openapi.json").read_text())


def _closed(schema: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema, with no other properties than those that are named."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _closed(value) for key, value in schema.items() if key != "nullable"}
    if "properties" in made and "additionalProperties" not in made:
        made["additionalProperties"] = False
    if schema.get("nullable"):
        return {"anyOf": [made, {"type": "null"}]} if made else {"type": "null"}
    return made


_SCHEMAS = {name: _closed(schema) for name, schema in DESCRIPTION["schemas"].items()}


def faults(method: str, path: str, query: dict[str, str], body: Any) -> tuple[str, list[str]]:
    """The operation of a request, and what is wrong with it."""
    for template, methods in DESCRIPTION["paths"].items():
        pattern = re.sub(r"\{[a-z_]+\}", "[^/]+", template)
        if re.fullmatch(pattern, path) and method.lower() in methods:
            break
    else:
        return f"{method} {path}", ["there is no such operation"]
    operation = methods[method.lower()]
    known = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
    wrong = [f"unknown parameter {name}" for name in sorted(query.keys() - known)]
    if "requestBody" in operation:
        found = _validator(template, method.lower()).iter_errors(body)
        wrong += [f"{error.instance_path}: {error.message[:300]}" for error in found]
    return f"{method} {template}", wrong


@cache
def _validator(template: str, method: str) -> Draft202012Validator:
    """What holds the bodies of an operation against its description. In Python, this took nearly
    half of the time of a request."""
    body = DESCRIPTION["paths"][template][method]["requestBody"]
    return Draft202012Validator({**_closed(body), "components": {"schemas": _SCHEMAS}})


@dataclass
class Recorder:
    """What was asked. `failing` are status codes for the next requests; 0 lets one pass. `words`
    are the keys with a full-text index by collection, which the engine behind forgets."""

    engine: QdrantClient
    operations: set[str] = field(default_factory=set)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    failing: list[int] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)
    port: int = 0
    scheme: str = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        parts = urlsplit(target)
        path, query = parts.path, dict(parse_qsl(parts.query))
        with self.lock:
            if self.failing and (status := self.failing.pop(0)):
                return status, "as told"
            operation, wrong = faults(method, path, query, body)
            self.operations.add(operation)
            self.requests.append((operation, body))
            self.wrong += [f"{operation}: {one}" for one in wrong]
            if wrong:
                return 400, wrong[0]
            names = [unquote(part) for part in path.split("/")[2:]]
            try:
                result = _perform(self.engine, operation, names, body)
                if isinstance(result, models.CollectionInfo):
                    index = models.PayloadIndexInfo(
                        data_type=models.PayloadSchemaType.TEXT, points=0
                    )
                    result.payload_schema = dict.fromkeys(self.words.get(names[0], ()), index)
                return 200, result
            except ValueError as error:
                return 404 if "not found" in str(error) else 400, str(error)


def _typed(kind: Any, value: Any) -> Any:
    return _adapter(kind).validate_python(value)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _perform(engine: QdrantClient, operation: str, names: list[str], body: Any) -> Any:
    """The operation on the engine behind, as the server's result."""
    name = names[0]
    method, template = operation.split(" ")
    match method, template.removeprefix("/collections/{collection_name}"):
        case "GET", "/exists":
            return {"exists": engine.collection_exists(name)}
        case "GET", "":
            return engine.get_collection(name)
        case "DELETE", "":
            return engine.delete_collection(name)
        case "PUT", "":
            made = models.CreateCollection.model_validate(body)
            return engine.create_collection(
                name,
                vectors_config=made.vectors,
                sparse_vectors_config=made.sparse_vectors,
                metadata=made.metadata,
            )
        case "PATCH", "":
            sparse = _typed(dict[str, models.SparseVectorParams], body["sparse_vectors"])
            return engine.update_collection(
                name, metadata=body["metadata"], sparse_vectors_config=sparse
            )
        case "PUT", "/index":
            engine.create_payload_index(name, body["field_name"], body["field_schema"])
        case "PUT", "/vectors/{vector_name}":
            engine.create_vector_name(name, names[2], _typed(models.VectorNameConfig, body))
        case "POST", "/points":
            asked = models.PointRequest.model_validate(body)
            return engine.retrieve(
                name, asked.ids, asked.with_payload or False, asked.with_vector or False
            )
        case "POST", "/points/scroll":
            scroll = models.ScrollRequest.model_validate(body)
            records, after = engine.scroll(
                name,
                scroll_filter=scroll.filter,
                limit=scroll.limit or 10,
                offset=scroll.offset,
                with_payload=True if scroll.with_payload is None else scroll.with_payload,
                with_vectors=scroll.with_vector or False,
            )
            return models.ScrollResult(points=records, next_page_offset=after)
        case "POST", "/facet":
            facet = models.FacetRequest.model_validate(body)
            return engine.facet(name, facet.key, facet.filter, facet.limit or 10)
        case "POST", "/points/query":
            one = models.QueryRequest.model_validate(body)
            return engine.query_batch_points(name, [one])[0]
        case "POST", "/points/query/batch":
            many = models.QueryRequestBatch.model_validate(body)
            return engine.query_batch_points(name, many.searches)
        case "POST", "/points/batch":
            engine.batch_update_points(
                name, models.UpdateOperations.model_validate(body).operations
            )
            return [{"operation_id": 1, "status": "completed"} for _ in body["operations"]]
        case "PUT", "/points/vectors":
            engine.update_vectors(name, models.UpdateVectors.model_validate(body).points)
        case _:
            raise ValueError(f"{operation} is not played")
    return {"operation_id": 1, "status": "completed"}


@contextmanager
def recording_server(tls: ssl.SSLContext | None = None) -> Iterator[Recorder]:
    """A server on loopback, behind TLS if there is a context for it."""
    recorder = Recorder(QdrantClient(":memory:", force_disable_check_same_thread=True))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            recorder.headers.append({k.lower(): v for k, v in self.headers.items()})
            status, result = recorder.answer(
                self.command, self.path, json.loads(raw) if raw else None
            )
            key = "result" if status == 200 else "status"
            value = result if status == 200 else {"error": result}
            answer = {"time": 0.0, "status": "ok", key: _plain(value)}
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    recorder.port = server.server_address[1]
    if tls is not None:
        recorder.scheme = "https"
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        recorder.engine.close()


def _plain(value: Any) -> Any:
    return json.loads(TypeAdapter(Any).dump_json(value, exclude_none=True))
