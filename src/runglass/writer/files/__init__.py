"""The way of encoded values into event files: buffers, threads, local files and object stores. Knows no framework."""
