"""A passage or an answer as sentences: without markup, with what belongs to each of them."""
