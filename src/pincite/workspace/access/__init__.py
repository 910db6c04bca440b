"""What a caller may read and do: keys, tokens, bounds, rates."""
