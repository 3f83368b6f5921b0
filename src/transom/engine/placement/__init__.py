"""Where each part of a payload stands."""
