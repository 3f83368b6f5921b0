"""What a message weighs."""
