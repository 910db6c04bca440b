"""Memory of users: facts about them, one file per vendor."""
