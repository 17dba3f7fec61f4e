"""Budgets of memory, as tests: whoever misbehaves, others are still answered."""
