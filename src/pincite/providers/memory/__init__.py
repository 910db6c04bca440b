"""What is remembered of users, one file a vendor."""
