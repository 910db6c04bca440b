"""Analysis of runs: measures, statistics, comparison, gates, calibration."""
