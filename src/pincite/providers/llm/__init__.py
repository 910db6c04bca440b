"""Language models. One protocol per file."""
