"""Files with vectors, one module per format. Each takes bytes of a file; none knows what an embedding is for."""
