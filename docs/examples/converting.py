"""Writes a request body in another provider's format, says what was lost, and names the rules it breaks."""

import json

from transom.wire.convert import convert
from transom.wire.registry import builtin_registry

formats = builtin_registry()
body = {
    "model": "some-model",
    "seed": 7,
    "messages": [
        {"role": "user", "content": "Is the disk full?"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "df", "arguments": "{}"}}],
        },
    ],
}
payload, report = convert(body, "openai", "anthropic", formats)
for note in report.notes:
    print(f"{note.code} {note.where}: {note.detail}")
for violation in formats.get("anthropic").validate(json.loads(payload)):
    print(f"{violation.where}: {violation.rule}: {violation.message}")

same, report = convert(json.dumps(body).encode(), "openai", "openai", formats)
assert same == json.dumps(body).encode() or json.loads(same) == body
assert report.notes == []
