"""Every string a model reads. Knows nothing else of the project."""

from .locales.en import ENGLISH
from .words import Vocabulary

__all__ = ["ENGLISH", "Vocabulary"]
