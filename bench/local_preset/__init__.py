"""The preset `local` step by step, and what a small language model adds to it."""
