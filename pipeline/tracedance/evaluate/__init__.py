"""One next turn per instance and model, graded; nothing is ever executed."""
