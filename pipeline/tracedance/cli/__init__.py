"""Commands; an InputError becomes one line."""
