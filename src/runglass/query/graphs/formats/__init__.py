"""Readers of graphs, one module per format, and what several of them need. None knows where the bytes come from."""
