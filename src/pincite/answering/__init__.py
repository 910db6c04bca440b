"""The steps of the third path: from evidence to an answer. They are pure, or receive the models and
stores that they use.
"""
