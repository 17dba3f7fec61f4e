"""From pasted text to the feed that was meant. Pure: it requests pages, callers fetch them.

``read_input`` reads what was pasted, ``Discovery`` runs the search as requests and
replies, ``is_replacement`` judges a feed that may stand in for a dead one, and
``read_directory`` hands out the shipped directory.
"""

from feedloom.discover.common_paths import guesses as guesses
from feedloom.discover.links import page_candidates as page_candidates
from feedloom.discover.pages import Page as Page
from feedloom.discover.pages import read_page as read_page
from feedloom.discover.pasted import Input as Input
from feedloom.discover.pasted import read_input as read_input
from feedloom.discover.platforms import platform_candidates as platform_candidates
from feedloom.discover.request_plan import Reply as Reply
from feedloom.discover.request_plan import Request as Request
from feedloom.discover.request_plan import RequestKind as RequestKind
from feedloom.discover.request_plan import begins_like_feed as begins_like_feed
from feedloom.discover.revival import KnownFeed as KnownFeed
from feedloom.discover.revival import is_parked as is_parked
from feedloom.discover.revival import is_replacement as is_replacement
from feedloom.discover.revival import looks_parked as looks_parked
from feedloom.discover.search import Discovery as Discovery
from feedloom.discover.shipped_directory import TOPICS as TOPICS
from feedloom.discover.shipped_directory import Pack as Pack
from feedloom.discover.shipped_directory import read_directory as read_directory
from feedloom.discover.shipped_directory import read_packs as read_packs
