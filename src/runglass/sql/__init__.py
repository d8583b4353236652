"""SQL over any source: by the source's own engine, or by DuckDB or chdb over the columns that a query needs."""
