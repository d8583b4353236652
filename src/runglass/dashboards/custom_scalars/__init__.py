"""Custom scalars: charts of a logged layout. Their lines come from the scalars routes."""
