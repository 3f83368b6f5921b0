"""The self-contained HTML picture of a replayed session.

Takes the replay's JSON object (CONTRACT, "Replay, defined") and gives one HTML page. Must not know the engine, the store or
how a replay is made: what is not in the object is not in the picture.
"""

from .page import render_report

__all__ = ["render_report"]
