"""The demonstration: a week of invented news for one account, without a network.

``Sites`` is a publisher for loopback, ``live_a_week`` lets an installation read it from seven
days ago until now, and ``settings_for`` keeps that installation away from everything else.
"""

from feedloom.demo.publishers import BLOGS as BLOGS
from feedloom.demo.publishers import Blog as Blog
from feedloom.demo.publishers import Piece as Piece
from feedloom.demo.publishers import Sites as Sites
from feedloom.demo.week import EMAIL as EMAIL
from feedloom.demo.week import Stage as Stage
from feedloom.demo.week import keep_stage as keep_stage
from feedloom.demo.week import live_a_week as live_a_week
from feedloom.demo.week import open_stage as open_stage
from feedloom.demo.week import settings_for as settings_for
