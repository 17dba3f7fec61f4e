"""The fault lab: what breaks things on purpose, and what checks the books after."""
