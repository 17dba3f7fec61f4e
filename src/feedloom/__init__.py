"""Feedloom: find feeds, fetch them politely, read them anywhere.

The flow, one package per step:

    address --discover--> candidates --fetch--> bytes --parse--> entries
    entries --markup--> clean articles --store--> rows
    rows --distill--> analyses, digests, summaries --publish--> RSS, OPML
    rows --serve--> pages, JSON, sync protocols

``flow`` joins the packages in that order, ``app`` builds them, ``cli`` starts them.
Web processes and workers meet only in the database, where pending work is stored as rows.
"""

__version__ = "0.1.0"
