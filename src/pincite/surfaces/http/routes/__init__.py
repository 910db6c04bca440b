"""What the HTTP API answers, a module for each noun."""
