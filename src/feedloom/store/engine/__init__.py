"""The database engines: they run transaction scripts and know no tables."""
