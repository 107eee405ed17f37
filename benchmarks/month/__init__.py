"""A month of one person's notes in two languages, and questions about them, by who knew only the README."""
