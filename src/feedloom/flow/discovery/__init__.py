"""From an address to a subscription, and the revival of dead feeds."""
