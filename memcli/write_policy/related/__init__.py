"""What the store holds that is related to a memory on its way in: looked up and judged."""
