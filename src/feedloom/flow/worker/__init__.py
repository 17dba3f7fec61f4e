"""The worker and what it does by the clock."""
