"""Sinks that keep what happened."""

from .flights import FlightRecorder, flight

__all__ = ["FlightRecorder", "flight"]
