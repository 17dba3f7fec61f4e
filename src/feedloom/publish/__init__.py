"""Publish: rows in, documents out. Pure: the same input gives the same bytes.

Feeds that we serve (deframed, or a person's view), subscriptions as OPML, bookmarks in
three forms, lookups and exports. Most input and output types are in
``feedloom.model.distilled.documents``.
"""

from feedloom.publish.bookmarks import MAX_IMPORTED as MAX_IMPORTED
from feedloom.publish.bookmarks import bookmarks_json as bookmarks_json
from feedloom.publish.bookmarks import bookmarks_markdown as bookmarks_markdown
from feedloom.publish.bookmarks import netscape_bookmarks as netscape_bookmarks
from feedloom.publish.bookmarks import read_netscape as read_netscape
from feedloom.publish.deframed import deframed_rss as deframed_rss
from feedloom.publish.deframed import filter_by_score as filter_by_score
from feedloom.publish.deframed import interleave as interleave
from feedloom.publish.deframed import item_document as item_document
from feedloom.publish.deframed import rating as rating
from feedloom.publish.exports import data_export as data_export
from feedloom.publish.exports import digest_markdown as digest_markdown
from feedloom.publish.exports import opml as opml
from feedloom.publish.mail import digest_html as digest_html
from feedloom.publish.mail import digest_mail as digest_mail
from feedloom.publish.mail import digest_title as digest_title
from feedloom.publish.mail import new_mail as new_mail
from feedloom.publish.views import view_feed as view_feed
