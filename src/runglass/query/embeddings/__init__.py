"""Embeddings: which there are in a run, from configs and checkpoints, and the vectors, labels and pictures of one of them."""
