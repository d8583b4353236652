"""Graphs of models: every format becomes one kind of graph, and every question is asked of that."""
