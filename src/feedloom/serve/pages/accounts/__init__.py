"""Accounts: register, sign in and out, passwords, sessions, app passwords."""

from feedloom.serve.pages.accounts import credentials, sign_in, single_sign_on

ROUTES = (*sign_in.ROUTES, *credentials.ROUTES, *single_sign_on.ROUTES)
