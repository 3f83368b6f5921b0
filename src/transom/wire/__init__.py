"""How each provider spells a conversation."""
