"""The stages: pure functions from frozen values to frozen values, one file each."""
