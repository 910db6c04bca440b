"""Golden sets: questions with their expected evidence; making, reading and writing them."""
