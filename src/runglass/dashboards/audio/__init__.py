"""The audio dashboard's back end: what a clip says about itself, and its bytes."""
