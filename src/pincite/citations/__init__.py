"""From a citation back to the text: found, read, checked."""
