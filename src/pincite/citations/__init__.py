"""Citations: finding, reading and checking the text that they name."""
