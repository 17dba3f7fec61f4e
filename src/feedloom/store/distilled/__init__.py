"""Results of distilling, and their cost."""
