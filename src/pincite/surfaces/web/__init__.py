"""Code that the HTTP API and the page share: addresses, other origins, refusals."""
