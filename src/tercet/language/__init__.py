"""What is known of a language's words: stems, synonyms, paraphrases, function words, and alignments by them."""
