"""Runs: the questions of a golden set with the results of every stage."""
