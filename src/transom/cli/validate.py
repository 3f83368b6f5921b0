"""``transom validate``: every rule of a provider that a conversation breaks."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ..jsontext import loads
from ..wire.convert import convert as convert_body
from ..wire.convert import convert_request
from ..wire.format import Format
from ..wire.registry import FormatRegistry, builtin_registry
from ..wire.report import Report, Violation
from . import output
from .conversation import File, From, Source, note_damage, read_source, writable
from .options import JSON

__all__ = ["validate"]

Target = Annotated[
    str | None, Parameter(name="--target", validator=writable, help="The provider asked; the file's own if left out.")
]


def validate(file: File, /, *, format: From = None, target: Target = None, json: JSON = False) -> int:  # noqa: A002
    """Name every rule of a provider that a conversation breaks, and the message that breaks it.

    Exits with 1 if there is any.
    """
    registry = builtin_registry(plugins=True)
    source = read_source(file, format, registry)
    if source.transcript is not None:
        note_damage(source.transcript)
    provider = _provider(source, target, registry)
    found = [(name, violation) for name, body in _bodies(source, provider, registry) for violation in provider.validate(body)]
    if json:
        output.json_line({"target": provider.name, "valid": not found, "violations": [_as_json(*pair) for pair in found]})
    elif found:
        for name, violation in found:
            output.line(f"{f'{name}: ' if name else ''}{violation.where}: {violation.rule}: {violation.message}")
    else:
        output.line(f"{provider.name} would accept it")
    return 1 if found else 0


def _provider(source: Source, target: str | None, registry: FormatRegistry) -> Format:
    if target is not None:
        return registry.get(target)
    if source.wire is not None:
        return source.wire
    for _, request in source.segments():
        for message in request.messages:
            if message.origin is not None and message.origin.format in registry:
                return registry.get(message.origin.format)
    return registry.get()


def _bodies(source: Source, provider: Format, registry: FormatRegistry) -> list[tuple[str, object]]:
    if source.wire is not None:
        if source.wire.name == provider.name:
            return [("", loads(source.data))]
        payload, _ = convert_body(source.data, source.wire, provider, registry)
        return [("", loads(payload))]
    requests = list(source.segments())
    return [
        (name if len(requests) > 1 else "", loads(convert_request(request, provider, None, Report())))
        for name, request in requests
    ]


def _as_json(name: str, violation: Violation) -> dict[str, object]:
    spelled: dict[str, object] = {
        "rule": violation.rule,
        "where": violation.where,
        "index": violation.index,
        "message": violation.message,
        "source": violation.source,
    }
    return {"conversation": name, **spelled} if name else spelled
