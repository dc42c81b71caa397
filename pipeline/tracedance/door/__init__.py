"""The second look: what leaves is scanned again by code and patterns that share nothing with those that redacted it."""
