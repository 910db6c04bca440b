"""The third path: from a question to an answer. Nothing else knows the order of steps.

condense -> search -> memory -> prompt -> generate -> check -> Answer
"""
