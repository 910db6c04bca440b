"""Find a text in another one, although spaces, escapes or line breaks differ."""
