"""Search indexes and the directory."""
