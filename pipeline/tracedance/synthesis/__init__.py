"""A family nobody has written yet. Its anchor is code that nobody has read: it runs in `sandbox` and nowhere else."""
