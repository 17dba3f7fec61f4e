"""Scripts behind the make targets; no part of the program."""
