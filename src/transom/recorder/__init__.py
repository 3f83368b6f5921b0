"""Sinks that keep what happened."""

from .flights import FlightRecorder, flight
from .telemetry import TelemetrySink

__all__ = ["FlightRecorder", "TelemetrySink", "flight"]
