"""Which model a collection has, opened when it is needed."""
