"""Traces of profilers: which there are, one of them in columns, and questions about it."""
