"""Stores, records and tenants: what is written is found, how fast, and in how much space."""
