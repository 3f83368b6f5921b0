"""What a shortened text looks like and where the whole of it is."""
