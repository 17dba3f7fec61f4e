"""Rules, lists in and out, full texts, pages that people keep."""
