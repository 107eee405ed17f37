"""Another file in the place of a store: encrypted anew, or a copy put back."""
