"""Rows: the only room that speaks SQL. Its door is the ``Store`` and how to open one."""
