"""Query analysis against the store: a question's rare words, its names, evidence that it has an answer."""
