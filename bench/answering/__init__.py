"""Is what is shown, refused, cited or answered right?"""
