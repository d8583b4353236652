"""Benchmarks of logging: what a call costs the training loop, side by side with the peers."""
