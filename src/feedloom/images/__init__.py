"""Publishers' pictures in; small ones without metadata out, cached on disk.

Bytes from outside are decoded in child processes only (``ImageResizer``), which are
limited in memory and time. ``ImageCache`` keeps what came out within a size limit.
"""

from feedloom.images.cache import ImageCache as ImageCache
from feedloom.images.resizer import ImageResizer as ImageResizer
