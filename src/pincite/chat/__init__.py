"""What an open index answers with: the model, memory and conversations that it has."""
