"""PR curves: precision and recall over thresholds, ROC and F1 from the same counts."""
