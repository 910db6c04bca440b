"""Keyword search: the analyser, the language guess and the BM25 encoder."""
