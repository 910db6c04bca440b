"""Adapters for frameworks: each is a retriever, a postprocessor or a tool over one index.

Each module needs its framework, which `pip install 'pincite[NAME]'` installs.
"""
