"""English words as data: word forms, hedges, vocabulary, tokens, paraphrases."""
