"""Citations: find, read and check the text that they name."""
