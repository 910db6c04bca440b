"""Evaluation: golden sets, runs, sweeps, comparison, gates, calibration, reports.

The extra `eval` brings what it needs besides the engine; `pincite.evals.extra` says so where it is
missing. Nothing here is imported by a search.
"""
