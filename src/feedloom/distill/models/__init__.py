"""Language models over OpenAI-compatible services, and a mock for development."""
