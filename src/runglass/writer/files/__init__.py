"""Encoded values to event files: buffers, threads, local files and object stores. Knows no framework."""
