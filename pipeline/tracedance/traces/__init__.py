"""Behaviour traces: a session as the order of its steps, typed, timed and counted, with hashes where the content was."""
