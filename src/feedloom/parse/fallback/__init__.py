"""The fallback: a tolerant parser, kept in a process of its own that can be killed."""

from feedloom.parse.fallback.pool import FallbackPool as FallbackPool
