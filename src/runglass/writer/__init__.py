"""Writes event files that Runglass and TensorBoard read. Its own slice: knows nothing of how logs are read or shown."""
