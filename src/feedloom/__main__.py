"""Let ``python -m feedloom`` do what ``feedloom`` does."""

from feedloom.cli import main

main()
