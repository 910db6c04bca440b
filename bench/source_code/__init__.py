"""Do searches of code find the right file or definition?"""
