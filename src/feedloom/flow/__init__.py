"""The order of things: joins the packages, reaches effects through ports only."""
