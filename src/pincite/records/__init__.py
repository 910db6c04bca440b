"""Records: texts that programs hand over, written, deleted and imported."""
