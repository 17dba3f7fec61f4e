"""What language models made, and what it cost."""
