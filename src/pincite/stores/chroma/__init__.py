"""A store in Chroma, embedded or behind HTTP."""
