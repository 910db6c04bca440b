"""What runs amount to: measures, statistics, comparison, gates, calibration."""
