"""Benchmarks side by side with TensorBoard and with a C floor; `python -m bench` runs them all."""

import os
import sys

# Where it is set, every process compiles all that it imports, and nothing it starts with is what users see.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
