"""Adapters for frameworks: a retriever, a postprocessor or a tool each, over one index.

Each module needs its framework, which `pip install 'pincite[NAME]'` brings.
"""
