"""Runs: the questions of a golden set asked, and what every stage did with them."""
