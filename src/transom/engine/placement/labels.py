"""Labels: how sure something is that is put into a payload, and where it comes from.

Pure: what is known and the words in, a few words out. A label goes along with what it labels, from where that was written down
to what the model reads. Three confidences, as a reader of a knowledge base would part them: *extracted* was seen or said and
stands as it was; *inferred* was concluded, retold or summed up by somebody; *ambiguous* may be meant otherwise. A date is said
only where it belongs to the text: the day something was written down, never the day of the compile.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from ...errors import InputError
from ...vocabulary.placing import CONFIDENCES, Confidence, PlacementWords

__all__ = ["CONFIDENCES", "Confidence", "Labels", "Provenance", "Source", "day_of", "label"]

Source = Literal["", "fact", "entry", "conversation", "text", "summary", "session"]
"""What kind of thing it comes from; empty where what stands around it says so already."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a text comes from.

    Attributes:
        source: what kind of thing.
        uri: its address, where the label is the only place that can name it.
        day: when it was written down, as ``2025-03-31``; empty where nobody knows or nobody needs to.
    """

    source: Source = ""
    uri: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Which labels are shown.

    Attributes:
        show: ``all``; ``doubtful``, only what is inferred or ambiguous; or ``none``.
        dates: say when a fact or an entry was written down. Off by default: the same facts written on another day would give
            other bytes.

    Raises:
        InputError: a value that makes no sense.
    """

    show: Literal["all", "doubtful", "none"] = "all"
    dates: bool = False

    def __post_init__(self) -> None:
        if self.show not in ("all", "doubtful", "none"):
            raise InputError(f"labels that show {self.show!r}", hint="all, doubtful or none")


def label(confidence: Confidence, provenance: Provenance, words: PlacementWords, labels: Labels) -> str:
    """What stands behind a text, in brackets and without a blank before it; empty where nothing is to be said.

    Args:
        confidence: how sure it is.
        provenance: where it comes from.
        words: what the model reads.
        labels: which labels are shown.
    """
    if labels.show == "none" or (labels.show == "doubtful" and confidence == "extracted"):
        return ""
    day = provenance.day if labels.dates else ""
    return words.label(confidence, source=provenance.source, uri=provenance.uri, day=day)


def day_of(seconds: float) -> str:
    """The day of a unix time, in UTC; empty for 0, which stands for a time that is not known."""
    if not seconds:
        return ""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return ""
