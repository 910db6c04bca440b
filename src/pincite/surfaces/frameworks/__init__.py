"""Adapters for frameworks: retrievers, postprocessors and tools over one index.

Each module needs its framework, which `pip install 'pincite[NAME]'` installs.
"""
