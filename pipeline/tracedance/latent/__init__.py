"""The latent lab: how the hidden state of an open model moves along the steps of a run. Advisory: no verdict rests on it."""
