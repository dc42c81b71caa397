"""Finished results as one self-contained page."""
