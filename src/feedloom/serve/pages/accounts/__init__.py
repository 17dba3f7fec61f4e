"""Accounts: register, sign in and out, passwords, sessions, app passwords."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.accounts import credentials, leaving, signing, single_sign_on

DOORS: tuple[Door, ...] = (
    *signing.DOORS,
    *credentials.DOORS,
    *leaving.DOORS,
    *single_sign_on.DOORS,
)
"""Every door of this package, in the order they are tried."""
