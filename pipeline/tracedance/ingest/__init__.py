"""Raw files to sessions, one module per format; reads files, never raises for what is in them."""
