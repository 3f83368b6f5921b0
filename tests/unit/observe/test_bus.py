from __future__ import annotations

import logging
from dataclasses import dataclass, field

import pytest

from transom.observe import EventBus, HandlerError, Sink, event_name


@dataclass(frozen=True, slots=True)
class WindowClosed:
    window: str


@dataclass(frozen=True, slots=True)
class WindowForced(WindowClosed):
    pass


@dataclass(frozen=True, slots=True)
class CompileDone:
    milliseconds: float


@dataclass
class Recorder:
    seen: list[object] = field(default_factory=list)

    def accept(self, event: object) -> None:
        self.seen.append(event)

    def close(self) -> None:
        pass


def test_a_handler_hears_events_of_its_type_and_of_subtypes_only() -> None:
    bus, heard = EventBus(), list[object]()
    bus.on(WindowClosed, heard.append)
    bus.emit(CompileDone(1.0))
    bus.emit(WindowClosed("w1"))
    bus.emit(WindowForced("w2"))
    assert heard == [WindowClosed("w1"), WindowForced("w2")]


def test_a_handler_may_name_the_event_instead_of_importing_its_type() -> None:
    bus, heard = EventBus(), list[object]()
    bus.on("window_closed", heard.append)
    bus.emit(WindowClosed("w1"))
    bus.emit(CompileDone(1.0))
    assert heard == [WindowClosed("w1")]
    assert event_name(HandlerError) == "handler_error"


def test_handlers_run_in_the_order_they_were_registered_whatever_they_listen_for() -> None:
    bus, order = EventBus(), list[str]()
    bus.on(object, lambda _: order.append("all"))
    bus.on("compile_done", lambda _: order.append("name"))
    bus.on(CompileDone, lambda _: order.append("type"))
    bus.emit(CompileDone(1.0))
    assert order == ["all", "name", "type"]


def test_a_subscription_ends_once_and_alone() -> None:
    bus, heard = EventBus(), list[object]()
    off = bus.on(CompileDone, heard.append)
    bus.on(CompileDone, heard.append)
    off()
    off()
    bus.emit(CompileDone(1.0))
    assert heard == [CompileDone(1.0)]


@pytest.mark.feature("X4")
def test_what_a_handler_raises_is_reported_and_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    bus, heard, failures = EventBus(), list[object](), list[HandlerError]()

    def broken(event: object) -> None:
        raise RuntimeError("no disk")

    bus.on(CompileDone, broken)
    bus.on(CompileDone, heard.append)
    bus.on(HandlerError, failures.append)
    with caplog.at_level(logging.WARNING, logger="transom"):
        bus.emit(CompileDone(1.0))
    assert heard == [CompileDone(1.0)]
    assert [(failure.event, failure.handler, str(failure.error)) for failure in failures] == [
        (CompileDone(1.0), broken, "no disk")
    ]
    assert "no disk" in caplog.text


def test_a_failing_listener_for_failures_does_not_go_round_in_circles(caplog: pytest.LogCaptureFixture) -> None:
    bus, calls = EventBus(), list[object]()

    def broken(event: object) -> None:
        calls.append(event)
        raise RuntimeError

    bus.on(object, broken)
    bus.emit(CompileDone(1.0))
    assert [type(event) for event in calls] == [CompileDone, HandlerError]
    assert len(caplog.records) == 2


def test_an_interrupt_is_not_a_handler_error() -> None:
    bus = EventBus()

    def interrupted(event: object) -> None:
        raise KeyboardInterrupt

    bus.on(CompileDone, interrupted)
    with pytest.raises(KeyboardInterrupt):
        bus.emit(CompileDone(1.0))


def test_who_registers_while_an_event_goes_round_hears_the_next_one() -> None:
    bus, late = EventBus(), list[object]()
    bus.on(CompileDone, lambda _: bus.on(CompileDone, late.append))
    bus.emit(CompileDone(1.0))
    assert late == []
    bus.emit(CompileDone(2.0))
    assert late == [CompileDone(2.0)]


def test_a_coroutine_function_is_refused_at_once() -> None:
    async def handler(event: object) -> None:
        raise AssertionError

    with pytest.raises(TypeError, match="plain function"):
        EventBus().on(CompileDone, handler)


def test_a_sink_gets_everything_until_it_is_parted() -> None:
    bus, recorder = EventBus(), Recorder()
    assert isinstance(recorder, Sink)
    part = bus.join(recorder)
    bus.emit(CompileDone(1.0))
    bus.emit(WindowClosed("w1"))
    part()
    bus.emit(WindowClosed("w2"))
    assert recorder.seen == [CompileDone(1.0), WindowClosed("w1")]
