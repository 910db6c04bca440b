"""The daemon's side: accept clients, serve an open index, release memory when idle."""
