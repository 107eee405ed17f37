"""What a text means by its words and forms: senses, roles, whose words, what is owed, denied, off or done."""
