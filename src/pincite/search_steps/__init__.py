"""Steps of a search that need more than one stage. `search.py` orders them."""
