"""Linguistic resources and tools: stems, synonyms, paraphrases, word vectors, parses, n-gram models, alignments."""
