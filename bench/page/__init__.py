"""The page benchmark: Runglass's page and TensorBoard's Time Series page, side by side in one Chromium."""
