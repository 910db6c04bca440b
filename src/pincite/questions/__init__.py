"""Forms of questions: what a question asks for, apart from its words, read from its text alone."""
