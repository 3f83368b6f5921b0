"""What is done with an answer that is too large: the whole of it is stored, and what is handed over says where.

Knows envelopes and the store. Stored before it is shortened; where it cannot be stored it is handed over whole.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from ..errors import StoreError
from ..jsontext import dumps
from ..safety.masking import log_fault
from ..store.blobs import blob_uri, blob_write, encode_text
from ..store.store import Store
from ..vocabulary import Vocabulary
from .tool import Envelope

__all__ = ["HEAD", "LARGEST", "TAIL", "Spill"]

LARGEST = 16_384
"""Bytes of UTF-8 that the text of an answer may have, and its data as JSON."""
HEAD, TAIL = 2_048, 512
"""Characters shown of a longer one."""
_SMALL = 1_024
"""Bytes of one value of the data that are never worth storing apart."""

_log = logging.getLogger(__name__)


class Spill:
    """Shortens answers.

    Args:
        store: where the whole of them goes; without one every answer is handed over whole.
        words: the words of the marks.
    """

    def __init__(self, store: Store | None, words: Vocabulary) -> None:
        self._store = store
        self._words = words

    async def __call__(self, answer: Envelope) -> Envelope:
        """The answer as it is handed over."""
        if self._store is None:
            return answer
        whole = dumps(answer.data)
        long_text, long_data = len(encode_text(answer.text)) > LARGEST, len(whole) > LARGEST
        if not long_text and not long_data:
            return answer
        writes = [blob_write(answer.text)] if long_text else []
        if long_data:
            writes.append(blob_write(whole, whole.decode("utf-8", "replace")))
        try:
            await self._store.commit(writes)
        except StoreError as error:
            log_fault(_log, error, "an answer of %d bytes could not be stored, so it is handed over whole", len(whole))
            return answer
        # Loaded for the first answer that is too large: most sessions have none.
        from ..engine.offload.excerpts import excerpt

        text, uri = answer.text, answer.uri
        if long_text:
            uri = blob_uri(text)
            text = excerpt(text, uri=uri, head=HEAD, tail=TAIL, vocabulary=self._words)
        data = self._shortened(answer.data, blob_uri(whole)) if long_data else answer.data
        return replace(answer, text=text, data=data, uri=uri or (blob_uri(whole) if long_data else None))

    def _shortened(self, data: Mapping[str, object], uri: str) -> dict[str, object]:
        """The data with each large value cut; ``whole`` is where all of it is, as JSON."""
        from ..engine.offload.excerpts import excerpt

        shown: dict[str, object] = {}
        for name, value in data.items():
            size = len(dumps(value))
            if size <= _SMALL:
                shown[name] = value
            elif isinstance(value, str):
                shown[name] = excerpt(value, uri=uri, head=HEAD, tail=TAIL, vocabulary=self._words)
            elif isinstance(value, list):
                kept: list[object] = []
                room = HEAD
                for item in value:
                    room -= len(dumps(item))
                    if room < 0:
                        break
                    kept.append(item)
                shown |= {name: kept, f"{name}_total": len(value)}
            else:
                shown[name] = {"uri": uri, "bytes": size}
        return {**shown, "whole": uri}
