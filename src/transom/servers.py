"""What every server here begins and ends with: a socket of its own, the address it is reached at, and that it is asked to end.

Knows sockets and signals; nothing of what is served.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import sys
from collections.abc import Callable, Iterator

from .errors import UsageError

__all__ = ["asked_to_end", "listen", "url_of"]

_LOOPBACK = "127.0.0.1 is reached from here only"


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound and listens.

    Args:
        host: a name or an address of this machine.
        port: 0 takes one that is free.

    Raises:
        UsageError: the port is taken, or the address is none of this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError:
        raise UsageError(f"{host} is no address of this machine", hint=_LOOPBACK) from None
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # where it would let two servers have one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Bound is not enough: two may bind one port, and only one may listen on it.
        listener.listen(2048)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            text, hint = f"port {port} is taken", "stop what listens there, or take another: port 0 finds a free one"
        elif error.errno == errno.EACCES:
            text, hint = f"port {port} may not be used", "take one from 1024 upward"
        else:
            text, hint = f"{host} is no address of this machine", _LOOPBACK
        raise UsageError(text, hint=hint) from None
    return listener


def url_of(host: str, listener: socket.socket) -> str:
    """The address at which what listens there is asked, without a path."""
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextlib.contextmanager
def asked_to_end(end: Callable[[], None], again: Callable[[], None] | None = None) -> Iterator[None]:
    """Call ``end`` when the process is asked to go (SIGINT, SIGTERM), as long as this is open.

    Args:
        end: called in the event loop.
        again: called there when it is asked once more; without it the process then goes at once.
    """
    loop = asyncio.get_running_loop()
    is_asked = False
    with contextlib.ExitStack() as hearing:

        def asked() -> None:
            nonlocal is_asked
            if is_asked and again is not None:
                again()
                return
            is_asked = True
            if again is None:
                hearing.close()
            end()

        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, asked)
                hearing.callback(loop.remove_signal_handler, number)
            except NotImplementedError:  # pragma: no cover - Windows has none in the loop
                before = signal.signal(number, lambda *_: loop.call_soon_threadsafe(asked))
                hearing.callback(signal.signal, number, before)
        yield
