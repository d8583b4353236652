"""Benchmarks side by side with TensorBoard and with a C floor; `python -m bench` runs them all."""
