"""Inputs and results of distilling, and what is built from them."""
