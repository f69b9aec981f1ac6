"""Where the names of entities come from: one reader per kind of source, each giving `NameRecord`s."""
