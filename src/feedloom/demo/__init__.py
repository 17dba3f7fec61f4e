"""The demonstration: a week of invented news for one account, without any network.

``Sites`` is a publisher for loopback, ``live_a_week`` lets an installation read it from seven
days ago until now, and ``settings_for`` keeps that installation away from everything else.
All names, sites and texts are made up here.
"""

from feedloom.demo.sample_blogs import BLOGS, Blog, Piece
from feedloom.demo.stage import EMAIL, Stage, keep_stage, open_stage, settings_for
from feedloom.demo.web_server import Sites
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
