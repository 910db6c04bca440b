"""What was said in conversations, one file a place where it is kept."""
