"""Messages held against the OpenAPI description of the server that they were sent to."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import httpx
from jsonschema import Draft202012Validator

JSON = "application/json"


class Description(NamedTuple):
    """An OpenAPI description."""

    told: dict[str, Any]

    def check_request(self, method: str, path: str, body: str) -> None:
        """Fail if the description rejects a body in JSON."""
        content = self._operation(method, path)["requestBody"]["content"]
        self._check(content[JSON]["schema"], json.loads(body))

    def check_response(self, method: str, path: str, status: str, body: str) -> None:
        """Fail if the description rejects the body of a response. `status` may be `2`, for the
        one that says success. A stream of events has no schema."""
        known = self._operation(method, path)["responses"]
        (found,) = (one for code, one in known.items() if code.startswith(status))
        content = found.get("content")
        if content is None:
            assert body == ""
            return
        (kind, first), *_ = content.items()
        if kind.endswith("json"):
            self._check(first["schema"], json.loads(body))

    def check(self, said: httpx.Response) -> None:
        """Fail if the description rejects a response or the request that it answers."""
        method, path = said.request.method, said.request.url.path
        if said.is_success and said.request.headers.get("content-type") == JSON:
            self.check_request(method, path, said.request.content.decode())
        self.check_response(method, path, str(said.status_code), said.text)

    def _operation(self, method: str, path: str) -> Any:
        """The operation of a path, of several the one with the fewest open parts."""
        known = sorted(self.told["paths"].items(), key=lambda one: one[0].count("{"))
        found = (
            operations
            for pattern, operations in known
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path)
        )
        return next(found)[method.lower()]

    def _check(self, schema: Any, value: Any) -> None:
        wanted = {**schema, "components": self.told["components"]}
        for error in Draft202012Validator(wanted).iter_errors(value):
            raise AssertionError(f"{error.json_path}: {error.message}")
