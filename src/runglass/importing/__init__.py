"""`runglass import`: logs of other tools as event files. One module per format; writing.py writes what they read."""
