"""Feeds in XML: bytes in, a ``RawFeed`` out, or ``Unsure``."""
