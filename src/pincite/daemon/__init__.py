"""The process that has an embedded index open, and the client that finds or starts it."""
