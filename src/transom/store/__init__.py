"""Where what left the window is kept: addresses, namespaces, backends."""

from .backend import StorageBackend, StoredEntry, Write
from .search import SearchHit
from .store import Store

__all__ = ["SearchHit", "StorageBackend", "Store", "StoredEntry", "Write"]
