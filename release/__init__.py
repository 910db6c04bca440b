"""Programs that make a release. Nothing of it is installed with Pincite."""
