"""Split passages and answers into sentences: without markup, with what belongs to each of them."""
