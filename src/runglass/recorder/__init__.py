"""`runglass run`: records what a command uses and prints beside whatever the command logs itself, and does not disturb it."""
