"""One module per format of traces."""
