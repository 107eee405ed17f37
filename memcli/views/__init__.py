"""What is remembered, to be looked at: pages, pictures, screens. Reads only; data first, then drawn."""
