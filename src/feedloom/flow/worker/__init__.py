"""The worker and its periodic tasks."""
