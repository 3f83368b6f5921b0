"""Where content lives once it left the window."""
