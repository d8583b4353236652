"""Custom scalars: charts that a logged layout describes. Their lines come from the scalars routes."""
