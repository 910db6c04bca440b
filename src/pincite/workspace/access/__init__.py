"""The rights of a caller: keys, tokens, bounds, rates."""
