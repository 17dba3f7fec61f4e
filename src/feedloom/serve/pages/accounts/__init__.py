"""Accounts: register, sign in and out, passwords, sessions, app passwords."""

from feedloom.serve.pages.accounts import credentials, deletion, sign_in, single_sign_on
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (
    *sign_in.ROUTES,
    *credentials.ROUTES,
    *deletion.ROUTES,
    *single_sign_on.ROUTES,
)
"""Every route of this package, in the order they are tried."""
