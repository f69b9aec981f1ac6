"""The functions that recompute tables and figures, by paper; `tables.toml` says which table is whose."""
