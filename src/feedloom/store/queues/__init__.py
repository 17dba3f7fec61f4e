"""The queues: who does what when, leases and politeness."""
