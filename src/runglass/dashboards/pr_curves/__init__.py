"""PR curves: precision and recall over thresholds, and what follows from the same counts."""
