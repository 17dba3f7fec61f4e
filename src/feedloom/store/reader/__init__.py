"""Subscriptions, articles and pages as people hold them."""
