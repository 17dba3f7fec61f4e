"""Refreshing a feed, and the decisions about it."""
