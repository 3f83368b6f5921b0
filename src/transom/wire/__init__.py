"""How each provider spells a conversation. Importing it loads no format: ask a registry for one."""
