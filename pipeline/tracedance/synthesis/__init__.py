"""A family nobody has written yet: drafted, gated, reviewed, run in the sandbox, probed, and revised until it holds or the rounds are up."""
