"""Records: texts that programs pass to Pincite, written, deleted and imported."""
