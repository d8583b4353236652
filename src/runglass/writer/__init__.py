"""Writes event files that Runglass and TensorBoard read. Its own slice: knows nothing of how logs are read or shown."""

# Names the run that is being recorded around this process; a writer that is given no directory logs into it.
RUN_DIR_VARIABLE = "RUNGLASS_RUN_DIR"
