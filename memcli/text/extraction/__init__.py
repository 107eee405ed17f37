"""What a text states: facts about its speaker, relations between entities."""
