"""Open a download over HTTP. Bodies of redirects are never read, whatever their size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

from pincite.providers.certificates import trusted
from pincite.support.proxies import proxies_for

if TYPE_CHECKING:
    import httpx

_MOST: Final = 10  #: answers to one download; a hub redirects once or twice


def client_for(url: str, timeout: float | httpx.Timeout) -> httpx.Client:
    """Return a client for downloads from this host, with time limits in seconds. Raises ConfigError
    for proxies or certificates of the environment that cannot be used."""
    import httpx

    with proxies_for(url) as proxied:
        return httpx.Client(timeout=timeout, verify=trusted(), trust_env=proxied)


@contextmanager
def opened(client: httpx.Client, url: str) -> Iterator[tuple[httpx.Response, ...]]:
    """Yield the answers in their order: redirects, then the one whose body can be read.

    `httpx` reads the body of each redirect that it follows itself, without a limit. Raises
    httpx.TooManyRedirects after ten answers, and httpx.HTTPError as `client.send` does.
    """
    import httpx

    answers: list[httpx.Response] = []
    request = client.build_request("GET", url)
    auth: Any = httpx.USE_CLIENT_DEFAULT
    with ExitStack() as responses:
        while len(answers) < _MOST:
            answer = client.send(request, stream=True, auth=auth, follow_redirects=False)
            responses.callback(answer.close)
            answers.append(answer)
            if answer.next_request is None:
                yield tuple(answers)
                return
            request, auth = answer.next_request, httpx.Auth()  # a redirect names no passwords
            answer.close()
        raise httpx.TooManyRedirects(f"{url} was redirected {_MOST} times", request=request)
