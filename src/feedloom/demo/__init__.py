"""The demonstration: a week of invented news for one account, without a network.

``Sites`` is a publisher for loopback, ``live_a_week`` lets an installation read it from seven
days ago until now, and ``settings_for`` keeps that installation away from everything else.
All names, sites and texts are made up here.
"""

from feedloom.demo.sample_blogs import BLOGS as BLOGS
from feedloom.demo.sample_blogs import Blog as Blog
from feedloom.demo.sample_blogs import Piece as Piece
from feedloom.demo.stage import EMAIL as EMAIL
from feedloom.demo.stage import Stage as Stage
from feedloom.demo.stage import keep_stage as keep_stage
from feedloom.demo.stage import open_stage as open_stage
from feedloom.demo.stage import settings_for as settings_for
from feedloom.demo.web_server import Sites as Sites
from feedloom.demo.week import live_a_week as live_a_week
