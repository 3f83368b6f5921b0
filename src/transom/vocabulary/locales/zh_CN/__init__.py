"""Chinese, simplified."""
