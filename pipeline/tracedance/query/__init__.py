"""From a sentence to a request, or to a question back."""
