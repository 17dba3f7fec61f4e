"""From an address to a subscription, and back to life."""
