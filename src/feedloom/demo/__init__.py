"""The demonstration: a week of invented news for one account, without any network.

``Sites`` is a publisher for loopback, ``live_a_week`` lets a house read it from seven
days ago until now, and ``settings_for`` keeps such a house away from everything else.
All names, sites and texts are made up here.
"""

from feedloom.demo.blogs import Blog, Piece
from feedloom.demo.samples import BLOGS
from feedloom.demo.sites import Sites
from feedloom.demo.stage import EMAIL, Stage, keep_stage, open_stage, settings_for
from feedloom.demo.week import live_a_week

__all__ = [
    "BLOGS",
    "EMAIL",
    "Blog",
    "Piece",
    "Sites",
    "Stage",
    "keep_stage",
    "live_a_week",
    "open_stage",
    "settings_for",
]
