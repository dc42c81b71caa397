"""Verdicts from files alone: no model, no clock, no network."""
