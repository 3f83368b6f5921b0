"""What the gateway tells of itself: health, metrics, the last requests, and headers on every answer.

Changes nothing of a request, save that its sender may ask to be left alone, or only to be told what would be done.
"""

from .book import Book
from .keeping import Keeping, try_to_keep
from .responding import response_headers
from .serving import build_operations
from .switch import Switch

__all__ = ["Book", "Keeping", "Switch", "build_operations", "response_headers", "try_to_keep"]
