"""Synthetic sessions with planted places, written in the real shapes."""
