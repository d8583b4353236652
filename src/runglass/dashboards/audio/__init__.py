"""The audio dashboard: descriptions of clips, and their bytes."""
