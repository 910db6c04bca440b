"""A store on a Qdrant server or cluster."""
