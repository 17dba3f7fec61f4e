"""Queues, leases and rate limits per host."""
