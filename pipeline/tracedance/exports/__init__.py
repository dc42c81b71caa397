"""Benchmarks in the forms of other tools. Nothing here is graded differently; `checks.jsonl` stays behind."""
