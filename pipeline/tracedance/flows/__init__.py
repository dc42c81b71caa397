"""Prefect lives here and nowhere else."""
