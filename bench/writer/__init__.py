"""Benchmarks of logging: what a call costs the training loop, beside other writers."""
