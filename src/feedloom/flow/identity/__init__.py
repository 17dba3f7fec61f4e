"""Accounts and the ways to sign in."""
