"""Cut code: by grammars and definitions, or by patterns for languages without a grammar."""
