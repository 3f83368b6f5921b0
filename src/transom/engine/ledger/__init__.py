"""What is known of a history by its digests: live turns and window records."""
