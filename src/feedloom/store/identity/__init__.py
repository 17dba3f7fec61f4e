"""People and what they prove themselves with."""
