"""Hyperparameters: which runs are sessions, what they were started with, what they reached, and what made the difference."""
