"""Tools for language models: arguments, hints, texts."""
