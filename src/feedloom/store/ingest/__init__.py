"""What refreshes bring, and the feeds themselves."""
