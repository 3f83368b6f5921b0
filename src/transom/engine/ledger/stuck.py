"""What stands beside messages of a session with a name, as the store keeps it: decided once, whichever process came first.

Knows digests and the store, no message and no words. That nothing stands beside a message is a decision too.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import dumps, loads
from ...store.store import Store

__all__ = ["decide", "decided", "every_decision"]


async def decided(store: Store, session: str, place: bytes) -> str | None:
    """What was decided for a message; ``None`` where nothing was.

    Args:
        store: where sessions keep what others go on with.
        session: its name.
        place: prefix digest at the end of the message's turn.

    Raises:
        StoreError: the store cannot be read.
    """
    entry = await store.read("decisions", _path(session, place))
    return None if entry is None else _text(entry.data)


async def decide(store: Store, session: str, place: bytes, text: str) -> str:
    """Keep what stands beside a message, unless another process has decided that meanwhile; what holds now.

    Raises:
        StoreError: the store cannot be written.
    """
    first = await store.put_if_absent("decisions", _path(session, place), dumps({"beside": text}))
    return text if first is None else _text(first.data)


async def every_decision(store: Store, session: str) -> dict[bytes, str]:
    """Every text that stands beside a message of the session, by place.

    Raises:
        StoreError: the store cannot be read.
    """
    folder = f"sticky/{session}/"
    entries = await store.read_all("decisions", folder)
    texts = {bytes.fromhex(path.removeprefix(folder)): _text(entry.data) for path, entry in entries.items()}
    return {place: text for place, text in texts.items() if text}


def _path(session: str, place: bytes) -> str:
    return f"sticky/{session}/{place.hex()}"


def _text(data: bytes) -> str:
    value = loads(data)
    return str(value["beside"]) if isinstance(value, Mapping) and "beside" in value else ""
