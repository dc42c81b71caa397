"""Contracts: a spec derived from baseline runs or from a formal contract."""
