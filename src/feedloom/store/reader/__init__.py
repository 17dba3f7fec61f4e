"""Subscriptions, articles and bookmarks of people."""
