"""The steps of the third path: from evidence to an answer. Pure, or given what they ask."""
