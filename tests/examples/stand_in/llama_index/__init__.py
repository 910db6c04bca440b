"""The few names of LlamaIndex that an example uses, with the fields and methods that it has."""
