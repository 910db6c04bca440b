"""Cut code: grammars, definitions, and patterns where no grammar helps."""
