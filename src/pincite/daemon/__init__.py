"""The process that owns an embedded index, and the client that finds or starts it."""
