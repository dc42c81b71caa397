"""Rates and comparisons over finished runs."""
