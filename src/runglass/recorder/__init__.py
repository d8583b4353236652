"""`runglass run`: records what a command uses and prints, beside what it logs itself, without disturbing it."""
