"""English words as data: forms, hedges, vocabulary, function words."""
