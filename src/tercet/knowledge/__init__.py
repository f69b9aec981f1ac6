"""The multilingual knowledge base: building it, storing it, and linking mentions in texts to its entities."""
