"""What the demo session is made of."""
