"""What HTTP and the page share: addresses, other origins, refusals."""
