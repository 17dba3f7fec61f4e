"""Feeds, and the articles that refreshes bring."""
