"""The only way to reach a model: one call, whatever backend answers it."""
