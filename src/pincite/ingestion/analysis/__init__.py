"""Cut and weigh documents, in this process or in workers."""
