"""Query sets: sentences with what must come of them, run as a table, and drafts for what they do not cover."""
