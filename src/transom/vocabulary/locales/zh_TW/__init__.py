"""Chinese, traditional."""
