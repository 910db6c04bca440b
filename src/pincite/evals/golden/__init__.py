"""Golden sets: questions with what a good search finds, made, read and written."""
