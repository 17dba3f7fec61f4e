"""From pasted text to the feed that was meant. Pure: it requests pages, callers fetch them.

``read_input`` reads what was pasted, ``Discovery`` runs the search as requests and
replies, ``is_replacement`` judges a feed that may stand in for a dead one, and
``read_directory`` hands out the shipped directory.
"""

from feedloom.discover.common_paths import guesses
from feedloom.discover.offers import page_candidates
from feedloom.discover.packs import Pack, read_packs
from feedloom.discover.pages import Page, read_page
from feedloom.discover.pasted import Input, read_input
from feedloom.discover.platforms import platform_candidates
from feedloom.discover.request_plan import Reply, Request, RequestKind, begins_like_feed
from feedloom.discover.revival import KnownFeed, is_parked, is_replacement, looks_parked
from feedloom.discover.search import Discovery
from feedloom.discover.shipped_directory import TOPICS, read_directory

__all__ = [
    "TOPICS",
    "Discovery",
    "Input",
    "KnownFeed",
    "Pack",
    "Page",
    "Reply",
    "Request",
    "RequestKind",
    "begins_like_feed",
    "guesses",
    "is_parked",
    "is_replacement",
    "looks_parked",
    "page_candidates",
    "platform_candidates",
    "read_directory",
    "read_input",
    "read_packs",
    "read_page",
]
