"""Deframed feeds and digests."""
