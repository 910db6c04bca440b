"""Code that tools for language models share: arguments, hints, texts."""
