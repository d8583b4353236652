"""Writes event files that Runglass and TensorBoard read. Knows nothing of how logs are read or shown."""

# The directory of the run that `runglass run` records around this process; a writer without a directory logs into it.
RUN_DIR_VARIABLE = "RUNGLASS_RUN_DIR"
