"""Schema steps, applied in order and never changed once released.

``NNNN.sql`` runs on both engines, ``NNNN.sqlite.sql`` and ``NNNN.postgresql.sql``
follow it on theirs.
"""
