"""The order of things: joins the rooms, reaches effects through ports only."""
