"""What a text claims, and whether another claims something else of the same thing."""
