"""Distilling by rules and word lists: what works without a model or a network."""
