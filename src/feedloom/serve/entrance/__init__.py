"""The way in: how we listen, what surrounds every answer, the one gate before all doors."""
