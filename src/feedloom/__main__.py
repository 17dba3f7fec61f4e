"""Make ``python -m feedloom`` the same as ``feedloom``."""

from feedloom.cli import main

if __name__ == "__main__":
    # Helping processes import this module too; they must not start a program.
    main()
