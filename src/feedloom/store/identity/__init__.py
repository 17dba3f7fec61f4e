"""People and their credentials."""
