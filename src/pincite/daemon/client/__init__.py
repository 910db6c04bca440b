"""The client's side: find or start a daemon, and use its index."""
