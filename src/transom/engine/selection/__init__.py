"""Which tools a model is shown, and in how many words."""
