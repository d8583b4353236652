"""`runglass.watch`: what is worth knowing of every module of a model, logged while it trains."""
