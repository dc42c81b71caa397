"""From places to a published benchmark: confirm, cut, assemble."""
