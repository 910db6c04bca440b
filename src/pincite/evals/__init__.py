"""Evaluation: golden sets, runs, sweeps, comparison, gates, calibration, reports.

The extra `eval` installs its additional packages; `pincite.evals.extra` reports a missing one. No
search imports this package.
"""
