"""Session files of real agents, read into conversations, segments and model calls. One module a format."""

from .loading import READERS, load, reader_names
from .transcript import Conversation, ModelCall, Segment, Skip, Transcript, TranscriptReader, Usage

__all__ = [
    "READERS",
    "Conversation",
    "ModelCall",
    "Segment",
    "Skip",
    "Transcript",
    "TranscriptReader",
    "Usage",
    "load",
    "reader_names",
]
