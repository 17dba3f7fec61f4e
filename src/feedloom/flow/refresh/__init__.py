"""One refresh of a feed, and the decisions in it."""
