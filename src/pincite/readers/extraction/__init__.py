"""Extract text from files of other formats, in a process of its own."""
