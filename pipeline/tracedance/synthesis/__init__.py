"""A family nobody has written yet: drafted, gated, reviewed, run in the sandbox, probed, and revised until it holds or the rounds are up.

Its anchor is code that nobody has read: it runs in `sandbox` and nowhere else.
"""
