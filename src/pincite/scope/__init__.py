"""What a search may see: its filter, the language of filters, and what to say if nothing passes."""
