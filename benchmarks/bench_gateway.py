"""The gateway between a client and a fake upstream, beside a bare forwarder of the same libraries: latency, events, processor.

Everything runs in processes of its own and is asked in turn, so that a busy machine slows all alike. Run by itself it takes
``--streams N --seconds S`` for the long run of many streams at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from figures import HERE, Figure

REQUESTS = 1500
ROUNDS = 15
STREAMED = 150
PARALLEL, SECONDS, PER_SECOND = 100, 3.0, 20
DONE = b"[DONE]"
ROOMY, TIGHT = 1_000_000, 60_000
"""Windows that half a megabyte fits, and does not."""
CLOSINGS = 6


@dataclass(slots=True)
class Server:
    """A server in a process."""

    name: str
    process: int
    port: int

    def processor(self) -> float:
        """Seconds it has run, and those of its other threads."""
        threads = Path(f"/proc/{self.process}/task").iterdir()
        return sum(int((thread / "schedstat").read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9

    def resident(self) -> float:
        """Megabytes."""
        pages = int(Path(f"/proc/{self.process}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


@contextmanager
def running(name: str, *arguments: str) -> Iterator[Server]:
    command = [sys.executable, str(HERE / "gateways.py"), name, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        yield Server(name, process.pid, int(process.stdout.readline()))
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


class Client:
    """One connection that is kept."""

    def __init__(self, port: int) -> None:
        self._port = port
        for _ in range(100):
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def asked(self, body: bytes) -> float:
        """Milliseconds until the whole answer is there."""
        begun = time.perf_counter()
        self._socket.sendall(request(self._port, body))
        held = b""
        while not (held.endswith((b"\r\n0\r\n\r\n", b'"stop"}]}'))):
            held += self._socket.recv(65536)
        return (time.perf_counter() - begun) * 1000

    def streamed(self, body: bytes, events: int, pause: float) -> tuple[float, list[float]]:
        """Milliseconds until the first event is there, and how old each one is when it is."""
        begun = time.perf_counter()
        self._socket.sendall(request(self._port, body, f"x-events: {events}", f"x-pause: {pause}"))
        first, ages, held, tail = 0.0, [], b"", b""
        while not tail.endswith(b"\r\n0\r\n\r\n"):
            piece = self._socket.recv(65536)
            now = time.monotonic_ns()
            tail = (tail + piece)[-16:]
            *lines, held = (held + piece).split(b"\n")
            for line in lines:
                if line.startswith(b'data: {"t":'):
                    first = first or (time.perf_counter() - begun) * 1000
                    ages.append((now - int(line[11:].partition(b",")[0])) / 1e6)
        return first, ages

    def close(self) -> None:
        self._socket.close()


def request(port: int, body: bytes, *headers: str) -> bytes:
    head = ["POST /v1/chat/completions HTTP/1.1", f"host: 127.0.0.1:{port}", "content-type: application/json"]
    head += ["authorization: Bearer sk-bench", "user-agent: bench/1", "accept: */*", "x-stainless-lang: python", *headers]
    return "\r\n".join([*head, f"content-length: {len(body)}"]).encode() + b"\r\n\r\n" + body


def body_of(size: int, *, stream: bool, about: str = "this") -> bytes:
    """A conversation of about so many bytes, that the user spoke last in."""
    messages: list[dict[str, str]] = []
    while len(messages) * 560 < size or len(messages) % 2 == 0:
        said = f"{len(messages)} of {about}.\n" + "A line of text.\n" * 30
        messages.append({"role": "user" if len(messages) % 2 == 0 else "assistant", "content": said})
    return json.dumps(
        {"model": "m", "messages": messages, "stream_options": {"include_usage": True}, "stream": stream}
    ).encode()


def measure() -> Iterable[Figure]:
    """Whole answers of two sizes, streams, processor time, and many streams at once."""
    with ExitStack() as stack:
        upstream = stack.enter_context(running("upstream"))
        bare = stack.enter_context(running("bare", str(upstream.port)))
        own = stack.enter_context(running("own", str(upstream.port), str(ROOMY)))
        tight = stack.enter_context(running("own", str(upstream.port), str(TIGHT)))
        yield from _whole(upstream, bare, own, body_of(20_000, stream=False), "20 KB", REQUESTS, (2, 8), processor=2)
        large = body_of(500_000, stream=False)
        yield from _whole(upstream, bare, own, large, "500 KB", REQUESTS // 5, (6, 20))
        yield from _whole(upstream, bare, tight, large, "500 KB closed", REQUESTS // 10, (25, None))
        yield from _streams(upstream, bare, own)
        yield from _held_up(tight)
        yield from _waiting(tight)
        yield from many(own, PARALLEL, SECONDS)


def _whole(
    upstream: Server,
    bare: Server,
    own: Server,
    body: bytes,
    size: str,
    count: int,
    bounds: tuple[float, float | None],
    processor: float | None = None,
) -> Iterable[Figure]:
    servers = (upstream, bare, own)
    times: dict[str, list[float]] = {server.name: [] for server in servers}
    used = {server.name: 0.0 for server in servers}
    clients = {server.name: Client(server.port) for server in servers}
    for client in clients.values():
        for _ in range(50):
            client.asked(body)
    for _ in range(ROUNDS):
        for server in servers:
            begun = server.processor()
            times[server.name] += [clients[server.name].asked(body) for _ in range(count // ROUNDS)]
            used[server.name] += server.processor() - begun
    for client in clients.values():
        client.close()
    for which, rank, bound in (("p50", 49, bounds[0]), ("p99", 98, bounds[1])):
        direct, other, ours = (quantiles(times[server.name], n=100)[rank] for server in servers)
        note = f"direct {direct:.2f} ms, bare forwarder adds {other - direct:.2f} ms"
        yield Figure(f"added to a whole answer, {size} body, {which}", ours - direct, "ms", at_most=bound, note=note)
    each = {name: seconds / count * 1000 for name, seconds in used.items()}
    note = f"{each['own']:.2f} and {each['bare']:.2f} ms a request"
    yield Figure(f"processor, {size} body, against the bare one", each["own"] / each["bare"], "x", at_most=processor, note=note)


def _streams(upstream: Server, bare: Server, own: Server) -> Iterable[Figure]:
    body = body_of(20_000, stream=True)
    servers = (upstream, bare, own)
    firsts: dict[str, list[float]] = {server.name: [] for server in servers}
    ages: dict[str, list[float]] = {server.name: [] for server in servers}
    clients = {server.name: Client(server.port) for server in servers}
    for number in range(STREAMED):
        for server in servers:
            first, each = clients[server.name].streamed(body, 10, 0.002)
            if number >= 10:
                firsts[server.name].append(first)
                ages[server.name] += each
    for client in clients.values():
        client.close()
    for what, found, bound in (("first streamed byte", firsts, 5), ("each event", ages, 1)):
        direct, other, ours = (median(found[server.name]) for server in servers)
        note = f"direct {direct:.2f} ms, bare forwarder adds {other - direct:.2f} ms"
        yield Figure(f"added to {what}, p50", ours - direct, "ms", at_most=bound, note=note)


def _held_up(server: Server) -> Iterable[Figure]:
    """How old the events of a stream are while large conversations of others are read and closed for the first time."""
    events, ended = 600, threading.Event()
    found: list[float] = []

    def closed() -> None:
        client = Client(server.port)
        bodies = (body_of(500_000, stream=False, about=f"conversation {number}") for number in range(CLOSINGS))
        found.extend(map(client.asked, bodies))
        client.close()
        ended.set()

    client = Client(server.port)
    quiet = client.streamed(body_of(2_000, stream=True), events, 0.005)[1]
    other = threading.Thread(target=closed)
    ages: list[float] = []
    other.start()
    while not ended.is_set():
        ages += client.streamed(body_of(2_000, stream=True), 50, 0.005)[1]
    other.join()
    client.close()
    note = f"{median(quiet):.2f} ms without; one takes {median(found):.0f} ms"
    for rank, bound in ((50, 5.0), (99, None)):
        yield Figure(
            f"age of an event while 500 KB are closed, p{rank}",
            quantiles(ages, n=100)[rank - 1],
            "ms",
            at_most=bound,
            note=note,
        )


def _waiting(server: Server) -> Iterable[Figure]:
    """How long requests of one conversation take while very large ones of others are closed for the first time."""
    body, ended = body_of(100_000, stream=False), threading.Event()
    found: list[float] = []

    def closed() -> None:
        client = Client(server.port)
        bodies = (body_of(2_000_000, stream=False, about=f"history {number}") for number in range(CLOSINGS // 2))
        found.extend(map(client.asked, bodies))
        client.close()
        ended.set()

    client = Client(server.port)
    quiet = [client.asked(body) for _ in range(30)]
    other = threading.Thread(target=closed)
    times: list[float] = []
    other.start()
    while not ended.is_set():
        times.append(client.asked(body))
    other.join()
    client.close()
    note = f"{median(quiet):.1f} ms without; one takes {median(found):.0f} ms"
    yield Figure("a request of 100 KB while 2 MB are closed, longest", max(times), "ms", at_most=150, note=note)


def many(server: Server, streams: int, seconds: float) -> Iterable[Figure]:
    """Many streams at once: what fails, how old events are, and how memory grows."""
    failed, late, grown, used = asyncio.run(_many(server, streams, seconds))
    what = f"{streams} streams of {PER_SECOND}/s for {seconds:g} s"
    yield Figure(f"{what}: errors", failed, "", at_most=0)
    yield Figure(f"{what}: age of an event, p99", late, "ms", note=f"processor {used / seconds * 100:.0f} %")
    yield Figure(f"{what}: memory grown after the first third", grown, "MB", at_most=max(5.0, streams * 0.02))


async def _many(server: Server, streams: int, seconds: float) -> tuple[int, float, float, float]:
    events = int(seconds * PER_SECOND)
    body = body_of(20_000, stream=True)
    ages: list[float] = []
    failed = 0

    async def one(number: int) -> None:
        nonlocal failed
        await asyncio.sleep(number / streams)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(request(server.port, body, f"x-events: {events}", f"x-pause: {1 / PER_SECOND}", "connection: close"))
            seen = 0
            done = False
            async for line in reader:
                if line.startswith(b'data: {"t":'):
                    seen += 1
                    ages.append((time.monotonic_ns() - int(line[11:].partition(b",")[0])) / 1e6)
                done = done or DONE in line
            failed += not (done and seen == events)
            writer.close()
        except OSError:
            failed += 1

    running_ones = [asyncio.create_task(one(number)) for number in range(streams)]
    begun = server.processor()
    await asyncio.sleep(1 + seconds / 3)
    early = server.resident()
    await asyncio.gather(*running_ones)
    return failed, quantiles(ages, n=100)[98], server.resident() - early, server.processor() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    with running("upstream") as upstream, running("own", str(upstream.port), str(ROOMY)) as own:
        for figure in many(own, given.streams, given.seconds):
            print(f"{figure.what}: {figure.value:.2f} {figure.unit} {figure.note}")


if __name__ == "__main__":
    main()
