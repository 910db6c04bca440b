"""Pictures of PDF pages, painted in a process of their own."""
