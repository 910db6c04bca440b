"""How long do commands, searches, edits and runs of indexing take, and what do they cost?"""
